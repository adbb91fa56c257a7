import { expect, test, vi } from 'vitest';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import { choosePersona } from './persona.ts';

vi.mock('vscode', () => ({ l10n: { t: (text: string) => text } }));

test.each([
  [new AbortController().signal, ['forbidden']],
  [AbortSignal.abort(), []],
])(
  'choosePersona reports a failed request for personas, unless the user stopped the request',
  async (signal, codes) => {
    const { context: service } = createScriptedService({
      status: 403,
      body: ['{"error":"Forbidden"}'],
    });
    const reportedCodes: unknown[] = [];
    const createReporter = () => (outcome: object) => {
      reportedCodes.push('code' in outcome ? outcome.code : 'ok');
    };
    const stream = { progress: () => {} } as never;
    await expect(
      choosePersona({ service, createReporter }, { query: '', stream, signal }),
    ).rejects.toThrow();
    expect(reportedCodes).toEqual(codes);
  },
);
