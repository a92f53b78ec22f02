import { BatonError } from '../contract/errors.ts';
import type { WorkspaceProviderName } from '../contract/session.ts';
import type { WorkspaceProvider } from './provider.ts';

/** All providers, by name. */
export function workspaceProviders(
  ...providers: readonly WorkspaceProvider[]
): (name: WorkspaceProviderName) => WorkspaceProvider {
  const byName = new Map(providers.map((provider) => [provider.name, provider]));
  return (name) => {
    const provider = byName.get(name);
    if (provider !== undefined) return provider;
    const there = [...byName.keys()].join(' or ');
    throw new BatonError(
      'not_available',
      `Workspaces of the provider ${name} are not available in this version; use ${there}.`,
    );
  };
}
