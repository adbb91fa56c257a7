import { type ServiceAddresses, signedIn } from '../support/local-service.ts';

/** One start of VS Code and the suites that share it, in this order. */
export interface HostConfiguration {
  readonly name: string;
  /** File names without `.suite.ts`. */
  readonly suites: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Every suite belongs to exactly one of these; the runner refuses to start otherwise. */
export function hostConfigurations(service: ServiceAddresses): readonly HostConfiguration[] {
  const account = signedIn(service);
  return [
    {
      name: 'chat',
      suites: [
        'workbench',
        'account',
        'connection',
        'models',
        'chat',
        'paths',
        'reading',
        'edits',
        'commands',
        'review',
        'agent',
      ],
      ...account,
    },
    {
      name: 'images',
      suites: [
        'private',
        'guards',
        'images',
        'image-files',
        'studio',
        'image-tools',
        'language-model',
        'chat-context',
        'speech',
        'personas',
        'attachments',
      ],
      ...account,
    },
    {
      name: 'suggestions',
      suites: [
        'completion-context',
        'completion-rules',
        'completion',
        'next-edit',
        'editor-actions',
        'exported-api',
        'dictation',
      ],
      ...account,
    },
    {
      name: 'wallet',
      suites: [
        'wallet-accounts',
        'wallet-staking',
        'mint',
        'mint-options',
        'wallet-x402',
        'keys-budget',
        'chat-options',
      ],
      ...account,
    },
  ];
}
