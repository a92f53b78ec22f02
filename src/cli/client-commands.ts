import type { Command } from './command.ts';

export const clientCommands: Readonly<Record<string, Command>> = {};
