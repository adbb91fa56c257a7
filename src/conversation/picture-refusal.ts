import * as l10n from '@vscode/l10n';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { Message } from './conversation.ts';

export interface Sight {
  readonly name: string;
  /** How many pictures of a message it sees; 0 for a model that sees none, absent when nobody knows. */
  readonly pictures?: number;
}

/** Why the model cannot take the pictures of the newest message of the person; undefined when it may. */
export function pictureRefusal(
  path: readonly Message[],
  { name, pictures }: Sight,
): ServiceFailure | undefined {
  const newest = path.findLast((message) => message.role === 'user');
  const count = newest?.attachments.filter(({ kind }) => kind === 'image').length ?? 0;
  if (count === 0 || pictures === undefined) return undefined;
  if (pictures === 0)
    return refused(
      l10n.t(
        '{0} cannot see pictures, so nothing was sent. Choose another model, then retry.',
        name,
      ),
    );
  // One that does not say so may still see several, or look at the last one.
  if (pictures === 1 || count <= pictures) return undefined;
  return refused(
    l10n.t(
      '{0} sees at most {1} pictures of a message, so nothing was sent. Choose another model, then retry.',
      name,
      pictures,
    ),
  );
}

const refused = (message: string): ServiceFailure => ({ code: 'unsupported-feature', message });
