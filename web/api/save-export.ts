import { operations } from 'virtual:operations';
import { type RequestInput, urlOf } from '../../src/client/request.ts';
import { client } from './client.ts';
import { saveFrom } from './download.ts';

/**
 * Downloads the response of an operation through a one-time link, so that it goes straight to disk
 * however large it is.
 */
export async function saveExport(
  operation: 'exportSession' | 'exportAudit',
  input: RequestInput,
  name: string,
): Promise<void> {
  const link = new URL(urlOf({ url: location.origin }, operations[operation], input));
  const { ticket } = await client.createTicket({ body: { path: link.pathname } });
  link.searchParams.set('ticket', ticket);
  saveFrom(link.href, name);
}
