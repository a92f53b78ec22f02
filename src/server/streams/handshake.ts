import type { WebSocket, WebSocketServer } from 'ws';
import { BatonError } from '../../contract/errors.ts';
import { PROOF_HEADER } from '../forward/credential.ts';
import type { UpgradeRequest } from '../forward/tunnel.ts';

/**
 * Completes the handshake of a WebSocket. `proof` is added to the response to a forwarded request.
 * Rejects if the handshake is invalid or the socket has closed.
 */
export async function handshake(
  server: WebSocketServer,
  { request, socket, head }: UpgradeRequest,
  proof: string | null,
): Promise<WebSocket> {
  // If the socket closed while the stream was being set up, `close` is not emitted again.
  if (socket.destroyed) throw new BatonError('invalid_request');
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
  const refuse = (): void => reject(new BatonError('invalid_request'));
  // For an invalid handshake, `handleUpgrade` destroys the socket and does not call back.
  socket.once('close', refuse);
  if (proof === null) server.handleUpgrade(request, socket, head, resolve);
  else {
    const addProof = (headers: string[]): number => headers.push(`${PROOF_HEADER}: ${proof}`);
    // With a listener, the server leaves it to us to refuse, and refusals need the proof as well.
    // It emits both events before `handleUpgrade` returns.
    server.on('headers', addProof).on('wsClientError', refuse);
    server.handleUpgrade(request, socket, head, resolve);
    server.off('headers', addProof).off('wsClientError', refuse);
  }
  return await promise;
}
