import { type ComponentType, createElement, type ReactNode, useEffect, useState } from 'react';
import { loadPatiently } from '../api/load-patiently.ts';

/**
 * A component loaded when first shown, or earlier by `preload`; `waiting` is shown until then.
 * React's own `lazy` shows loaded content up to 300 ms late to avoid flicker.
 */
export function lazyPart<Name extends string, Props extends object>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
  waiting: (props: Props) => ReactNode = () => null,
): ComponentType<Props> & { readonly preload: () => void } {
  let known: ComponentType<Props> | null = null;
  const bring = async (): Promise<void> => {
    known ??= (await loadPatiently(load))[name];
  };
  function Part(props: Props): ReactNode {
    const [failed, setFailed] = useState<{ readonly error: unknown } | null>(null);
    const [, setCame] = useState(known !== null);
    useEffect(() => {
      bring().then(
        () => setCame(true),
        (error: unknown) => setFailed({ error }),
      );
    }, []);
    if (failed !== null) throw failed.error;
    return known === null ? waiting(props) : createElement(known, props);
  }
  // An error shows up when the component is rendered.
  const preload = (): void =>
    void load().then(
      (loaded) => {
        known ??= loaded[name];
      },
      () => {},
    );
  return Object.assign(Part, { preload });
}
