import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { loadPatiently } from '../api/load-patiently.ts';

/** A component that is loaded when it is first shown, or before by `preload`. */
export function lazyPart<Name extends string, Props>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
): LazyExoticComponent<ComponentType<Props>> & { readonly preload: () => void } {
  const part = lazy(async () => ({ default: (await loadPatiently(load))[name] }));
  // Should it fail, showing it says so.
  return Object.assign(part, { preload: () => void load().catch(() => {}) });
}
