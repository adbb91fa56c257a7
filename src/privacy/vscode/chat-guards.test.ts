import { beforeEach, expect, test, vi } from 'vitest';
import { readModel } from '../../service/read-model.ts';
import type { Model } from '../../service/model-types.ts';
import type { GuardedChat } from '../../service/chat/protection.ts';
import { Emitter } from '../../base/event.ts';
import type { PrivacyHost } from './privacy-settings.ts';
import { createPrivacyPorts } from './contribute.ts';
import { ProtectionConsent } from '../../chat/vscode/protection-consent.ts';

const vscode = vi.hoisted(() => ({ settings: {} as Record<string, unknown>, promptCount: 0 }));

vi.mock('vscode', () => ({
  l10n: { t: (text: string, ...args: string[]) => text.replace('{0}', args[0] ?? '') },
  workspace: {
    getConfiguration: () => ({
      inspect: (name: string) => ({ globalValue: vscode.settings[name] }),
    }),
  },
  window: {
    showWarningMessage: async () => {
      vscode.promptCount += 1;
      return undefined;
    },
  },
  commands: {},
}));

beforeEach(() => {
  Object.assign(vscode, { settings: {}, asked: 0 });
});

const encryptedCapabilities = { supportsE2EE: true, supportsTeeAttestation: true };
const attestedCapabilities = { supportsTeeAttestation: true };
const { signal } = new AbortController();

function createListedModel(id: string, capabilities: object): Model {
  const model = readModel({ id, type: 'text', model_spec: { name: id, capabilities } });
  if (model === undefined) throw new Error('No model');
  return model;
}

/** Creates chat guards for a service with these models. The test can replace the model list. */
function createGuards(...models: readonly Model[]) {
  const onDidChangeEmitter = new Emitter<void>();
  const storedState = new Map<string, unknown>();
  const catalog = {
    allModels: models,
    failure: undefined,
    refresh: async () => {},
    onDidChange: onDidChangeEmitter.event,
  };
  const host = {
    models: catalog,
    account: {
      state: {
        get: (name: string) => storedState.get(name),
        update: async (name: string, value: unknown) => void storedState.set(name, value),
      },
      service: {
        getEndpoint: async () => ({ baseUrl: new URL('https://service.example/api/v1') }),
      },
    },
  } as unknown as PrivacyHost;
  const { protection } = createPrivacyPorts(host);
  return {
    models: catalog,
    change: (...newModels: readonly Model[]) => {
      catalog.allModels = newModels;
      onDidChangeEmitter.fire();
    },
    guard: (chat: Partial<GuardedChat>) =>
      protection.guard({ model: 'x', isBackground: false, ...chat }, signal),
  };
}

const createFailure = (code: string) => ({ failure: { code } });

test.each<[minProtection: GuardedChat['minProtection'], offer: string, capabilities: object]>([
  ['attested', 'no protection', {}],
  ['encrypted', 'no protection', {}],
  ['encrypted', 'only attestation', attestedCapabilities],
  ['attested', 'no encryption', { supportsE2EE: false }],
])(
  'ChatGuards rejects a chat with minimum protection "%s" if the model offers %s',
  async (minProtection, _offer, offeredProtection) => {
    const { guard } = createGuards(createListedModel('x', offeredProtection));
    await expect(guard({ ...(minProtection && { minProtection }) })).rejects.toMatchObject({
      failure: {
        code: 'protection-failed',
        detail: 'This chat was protected better than it would be now.',
      },
    });
    expect(vscode.promptCount).toBe(0);
  },
);

test('ChatGuards permits a model without protection only if the chat requires no minimum protection', async () => {
  const { guard } = createGuards(createListedModel('x', {}));
  expect(await guard({})).toEqual({ kind: 'open' });
  expect(await guard({ model: 'alias' })).toEqual({ kind: 'open' });
  await expect(guard({ model: 'alias', minProtection: 'attested' })).rejects.toMatchObject(
    createFailure('protection-failed'),
  );
});

test('ChatGuards rejects a chat that requires encryption after encryption was turned off', async () => {
  vscode.settings['inferenceService.chat.encrypt'] = 'off';
  const { guard } = createGuards(createListedModel('x', { supportsE2EE: true }));
  expect(await guard({})).toEqual({ kind: 'none' });
  await expect(guard({ minProtection: 'encrypted' })).rejects.toMatchObject(
    createFailure('protection-failed'),
  );
});

test('ChatGuards fails with the code `private-only` if the model lost its protection and only private models are allowed', async () => {
  vscode.settings['inferenceService.privateModelsOnly'] = true;
  const { guard } = createGuards(createListedModel('x', {}));
  await expect(guard({ minProtection: 'attested' })).rejects.toMatchObject(
    createFailure('private-only'),
  );
});

test('ChatGuards rejects a chat if the model loses its protection after the user confirmed the chat', async () => {
  const { guard, models, change } = createGuards(createListedModel('x', attestedCapabilities));
  const consent = new ProtectionConsent(models);
  expect(await consent.canContinue({ kind: 'attested', newestId: 'a1' }, 'x')).toBe(true);
  change(createListedModel('x', {}));
  await expect(guard({ minProtection: 'attested' })).rejects.toMatchObject(
    createFailure('protection-failed'),
  );
});

test('ChatGuards asks the user for confirmation if a model no longer offers encryption', async () => {
  const { guard, change } = createGuards();
  change(createListedModel('x', encryptedCapabilities), createListedModel('other', {}));
  change(createListedModel('x', {}), createListedModel('other', {}));
  await expect(guard({})).rejects.toMatchObject(createFailure('protection-failed'));
  expect(vscode.promptCount).toBe(1);
  expect(await guard({ model: 'other' })).toEqual({ kind: 'open' });
  expect(await guard({ acceptsUnprotected: true })).toEqual({ kind: 'none' });
});
