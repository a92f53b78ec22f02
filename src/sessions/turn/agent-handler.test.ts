import { expect, test } from 'vitest';
import { serviceRig } from '../../../test/support/service-rig.ts';
import type { HandlerEvents } from '../../contract/events/table.ts';
import { createMasker } from '../../policy/masking/masking.ts';
import { OwnFiles } from '../../policy/tools/own-files.ts';
import { AbortReason } from '../../queue/handler-result.ts';
import { SILENT } from '../../queue/logger.ts';
import type { AttemptContext } from '../../queue/worker/attempt-context.ts';
import { aesBox } from '../../secrets/aes-box.ts';
import { Steering } from '../messages/steering.ts';
import { Provisioner } from '../provisioner.ts';
import { agentHandler } from './agent-handler.ts';

test('[Q9] a run whose workspace never becomes ready can be stopped', async () => {
  const { store, session } = await serviceRig({ executes: false });
  const { id } = await session('hangs');
  const asked = Promise.withResolvers<void>();
  const provisioner = new Provisioner({
    store,
    providerOf: () => ({
      name: 'directory',
      local: true,
      ensure: () => {
        asked.resolve();
        return new Promise<never>(() => {});
      },
      observe: async () => 'ready',
      delete: async () => {},
    }),
    log: SILENT,
    host: 'test',
  });
  const unused = (): never => {
    throw new Error('not reached');
  };
  const handler = agentHandler({
    store,
    provisioner,
    driverOf: unused,
    artefacts: { keep: unused },
    masker: createMasker(),
    maskJson: (value) => value,
    maskCall: (input) => input,
    box: aesBox(Buffer.alloc(32, 7)),
    ownFiles: new OwnFiles({ paths: [], except: [] }),
    clock: Date.now,
    steering: new Steering({
      store,
      textOf: unused,
      isAllowed: unused,
      nodeId: unused,
      log: SILENT,
    }),
  });
  const stop = new AbortController();
  const context = { run: { lane: id }, signal: stop.signal } as AttemptContext<HandlerEvents>;
  const payload = { message: 'true', channel: 'api', sender: 'admin', original: false } as const;
  const running = handler(payload, context);
  await asked.promise;
  const reason = new AbortReason('cancelled', 'the run was cancelled');
  stop.abort(reason);
  await expect(running).rejects.toBe(reason);
});
