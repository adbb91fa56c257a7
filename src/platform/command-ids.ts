import type titles from '../../package.nls.json';

type IdOf<Key> = Key extends `command.${infer Name}` ? `inferenceService.${Name}` : never;

/**
 * Id of a command in the manifest. The command's title is `command.<name>` in `package.nls.json`.
 */
export type CommandId = IdOf<keyof typeof titles>;
