import { expect } from 'vitest';
import { eventOf } from '../../contract/events/event-of.ts';
import { onTopic, READY, SCHEDULES } from '../hint.ts';
import type { Rig, Rule } from './rig.ts';
import { scheduleWrite } from './schedule.ts';

/**
 * Topics named while `act` runs; a note to the log, sent last, proves that earlier hints have
 * arrived.
 */
async function topicsOf(rig: Rig, act: () => Promise<unknown>): Promise<string[]> {
  const named: string[] = [];
  const stop = rig.store.onHint(({ topics }) => named.push(...topics));
  await act();
  const last = rig.hint(({ lanes }) => lanes.includes('last'));
  await rig.change({ do: 'note', lane: 'last', event: eventOf('run.progress', null) });
  await last;
  stop();
  return [...new Set(named)].sort();
}

export function hintRules(rule: Rule): void {
  rule('[E1] a hint names the topics of its change, and no others', async (rig) => {
    const note = eventOf('run.progress', null);
    const changes: [act: () => Promise<unknown>, topics: string[]][] = [
      [() => rig.change({ do: 'note', lane: 'l', event: note }), []],
      [() => rig.enqueue({ lane: 'l' }), [READY]],
      [() => rig.store.putSchedule(scheduleWrite(), null), [SCHEDULES]],
      [() => rig.store.getSchedule('s'), []],
    ];
    for (const [act, topics] of changes) expect(await topicsOf(rig, act)).toEqual(topics);
  });

  rule('[E1] a listener gets the hints of its topic, until it unsubscribes', async (rig) => {
    let schedules = 0;
    const stop = onTopic(rig.store, SCHEDULES, () => schedules++);
    await topicsOf(rig, () => rig.enqueue());
    expect(schedules).toBe(0);
    await topicsOf(rig, () => rig.store.putSchedule(scheduleWrite(), null));
    expect(schedules).toBe(1);
    stop();
    await topicsOf(rig, () => rig.store.removeSchedule('s'));
    expect(schedules).toBe(1);
  });
}
