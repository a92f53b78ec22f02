import type { StreamOptions } from '../../client/listen.ts';

/** Says when a server that is followed does not answer, and when it does again. */
export function lossNotes(
  note: (text: string) => void,
  onConnected: () => void = () => {},
): Required<Pick<StreamOptions, 'onState'>> {
  let losses = 0;
  return {
    onState(state) {
      if (state === 'connected') {
        if (losses > 1) note('The server answers again.');
        losses = 0;
        onConnected();
      } else if (++losses === 2) {
        // One loss may be a proxy's time-out that nobody needs to hear of.
        note('The server does not answer; trying again. Runs do not depend on this command.');
      }
    },
  };
}
