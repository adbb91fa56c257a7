import { firstFixture } from './stored-data/prepare-extension.ts';

/** Suites that run in the same VS Code window, in order. */
export interface HostSuites {
  readonly name: string;
  /** File names of the suites, without `.suite.ts`. */
  readonly suites: readonly string[];
  /**
   * Fixture folder with stored data of the extension, which are put in place before VS Code starts. The settings and
   * the API key also come from this folder.
   */
  readonly storedDataFolder?: string;
}

/**
 * All hosts with their suites. The host with the longest run time comes first. The runner fails if a suite belongs to
 * no host or to several.
 */
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
  { name: 'stored-data', suites: ['stored-data'], storedDataFolder: firstFixture },
];
