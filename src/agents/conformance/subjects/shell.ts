import { shellDriver } from '../../shell/driver.ts';
import type { DriverSubject } from '../subject.ts';

const ONE_CALL = 'The message is the only call; it is judged before it starts.';
const nothing = (): never => {
  throw new Error('The shell agent does not do this.');
};

export const shellSubject: DriverSubject = {
  name: 'shell',
  scripted: (message) => ({
    driver: shellDriver(),
    turn: { agent: { kind: 'shell' }, message },
  }),
  at: (program) => ({
    driver: shellDriver(),
    turn: { agent: { kind: 'shell', command: [program] }, message: 'message' },
  }),
  words: {
    begun: '',
    said: (text) => `${text}\n`,
    succeeded: '',
    spent: nothing,
    asks: nothing,
    called: nothing,
    withdraws: nothing,
  },
  does: {
    takesMessage: ':',
    worksUntilInterrupted: "trap 'exit 1' INT; while :; do sleep 0.02; done",
    hears: ':',
  },
  endings: [
    { title: 'it says nothing', script: 'true', outcome: 'succeeded' },
    { title: 'its exit code is 1', script: 'exit 1', outcome: 'command_failed' },
    { title: 'its exit code is 255', script: 'exit 255', outcome: 'command_failed' },
    { title: 'its program is missing', script: 'no-such-program', outcome: 'command_failed' },
    { title: 'it is not a command', script: 'if', outcome: 'command_failed' },
  ],
  answerIn: nothing,
  messageIn: nothing,
  lacks: {
    results: 'A command has ended when its process has.',
    calls: ONE_CALL,
    steers: 'A command takes no messages.',
    resumes: 'A command has no conversation.',
    spends: 'A command costs nothing.',
  },
};
