import { firstFixture } from './stored-data/prepare-extension.ts';

/** Suites that share one start of VS Code, in the order in which they run. */
export interface HostSuites {
  readonly name: string;
  /** File names without `.suite.ts`. */
  readonly suites: readonly string[];
  /**
   * Folder of stored data to install before activation. Such suites sign in and set settings
   * themselves.
   */
  readonly fixture?: string;
}

/** All suites. Each suite must be in exactly one host, otherwise the runner fails. The slowest hosts come first. */
export const hostSuites: readonly HostSuites[] = [
  {
    name: 'images',
    suites: ['images', 'image-files', 'studio', 'image-tools', 'attachments'],
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
  },
  {
    name: 'privacy',
    suites: ['private', 'guards', 'language-model', 'chat-context', 'speech', 'personas'],
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
  },
  {
    name: 'chat',
    suites: [
      'workbench',
      'account',
      'connection',
      'models',
      'chat',
      'paths',
      'apply-code',
      'command-access',
      'reading',
      'edits',
      'notebooks',
      'commands',
      'command-terminal',
      'review',
      'agent',
    ],
  },
  { name: 'stored-data', suites: ['stored-data'], fixture: firstFixture },
];
