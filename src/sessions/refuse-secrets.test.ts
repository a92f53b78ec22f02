import { expect, test } from 'vitest';
import { ADMIN, serviceRig } from '../../test/support/service-rig.ts';
import { SECRETS } from '../policy/masking/corpus.ts';

const github = SECRETS[0]?.secret as string;
const SHORT = 'password=hunter2';

test('[P4] a secret in a field that is stored unmasked is refused by field name, and nothing is created', async () => {
  const rig = await serviceRig({ executes: false });
  const shell = { kind: 'shell' };
  const cases: [field: string, body: Parameters<typeof rig.session>[1]][] = [
    ['tags', { tags: ['web', SHORT] }],
    ['labels', { labels: [SHORT] }],
    ['agent.model', { agent: { ...shell, model: github } }],
    ['agent.fallbackModel', { agent: { ...shell, fallbackModel: github } }],
    ['agent.command', { agent: { ...shell, command: ['tool', `--key=${github}`] } }],
    ['agent.command', { agent: { ...shell, command: ['tool', '--token', 'abc123def'] } }],
    ['agent.systemPrompt', { agent: { systemPrompt: `The key is ${github}` } }],
    [
      'agent.mcpServers',
      { agent: { mcpServers: { a: { command: 'a', env: { TOKEN: github } } } } },
    ],
    [
      'agent.mcpServers',
      { agent: { mcpServers: { a: { command: 'a', args: ['--key', github] } } } },
    ],
    ['workspace', { workspace: { path: `/tmp/${github}` } }],
    ['workspace', { workspace: { repository: 'https://me:hunter2@host/repo' } }],
  ];
  for (const [field, body] of cases) {
    const error = await rig.session('secretive', body).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_request', details: { field } });
    expect((error as Error).message).not.toContain(github);
  }
  expect((await rig.services.sessions.list(ADMIN, {})).items).toEqual([]);

  const command = ['sh', '-c', 'curl -H "Authorization: Bearer $API_TOKEN" "$0"'];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code puts the variable in
  const named = { a: { command: 'a', env: { TOKEN: '${GITHUB_TOKEN}' } } };
  await rig.session('named', { agent: { mcpServers: named } });
  const { id } = await rig.session('plain', { tags: ['tokens'], agent: { ...shell, command } });
  await expect(rig.services.sessions.update(ADMIN, id, { tags: [SHORT] })).rejects.toMatchObject({
    details: { field: 'tags' },
  });
  for (const field of ['allowedTools', 'disallowedTools']) {
    const rules = { [field]: ['Read', `Bash(login ${github})`] };
    await expect(rig.send(id, 'echo', rules)).rejects.toMatchObject({ details: { field } });
  }
  await rig.send(id, 'echo', { allowedTools: ['Read', 'Bash(echo)'] });
  expect((await rig.services.runs.list(ADMIN, { sessionId: id })).items).toHaveLength(1);
});
