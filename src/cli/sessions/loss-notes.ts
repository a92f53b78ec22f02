import type { StreamOptions } from '../../client/listen.ts';

/** Notes shown when the connection to a followed server is lost, and when it is restored. */
export function lossNotes(
  note: (text: string) => void,
  onConnected: () => void = () => {},
): Required<Pick<StreamOptions, 'onState'>> {
  let losses = 0;
  return {
    onState(state) {
      if (state === 'connected') {
        if (losses > 1) note('Reconnected to the server.');
        losses = 0;
        onConnected();
      } else if (++losses === 2) {
        // A single loss may be a proxy's timeout, which needs no note.
        note(
          'Lost the connection to the server; reconnecting. Runs do not depend on this connection.',
        );
      }
    },
  };
}
