import { firstFixture } from './stored-data/prepare-extension.ts';

/** Suites that share one start of VS Code, in the order in which they run. */
export interface HostSuites {
  readonly name: string;
  /** File names without `.suite.ts`. */
  readonly suites: readonly string[];
  /**
   * Folder with stored data that is installed before the extension starts. Suites of a host with this folder must sign
   * in and set settings themselves.
   */
  readonly fixture?: string;
}

/**
 * All hosts with their suites, the slowest host first. The runner fails if a suite is missing or is in several hosts.
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
  { name: 'stored-data', suites: ['stored-data'], fixture: firstFixture },
];
