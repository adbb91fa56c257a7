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
  return [
    {
      name: 'signed-in',
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
        'next-edit',
        'agent',
        'images',
        'image-files',
        'studio',
        'image-tools',
        'completion-context',
        'completion-rules',
        'completion',
      ],
      ...signedIn(service),
    },
  ];
}
