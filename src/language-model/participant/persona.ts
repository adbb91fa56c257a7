import * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import { listCharacters } from '../../service/characters.ts';
import type { Host } from '../../host.ts';
import { withoutIcons } from '../../platform/notifications.ts';
import { participantId } from './turns.ts';

/** Who answers in a chat; kept with each answer, since VS Code keeps nothing else of it. */
export interface StoredPersona {
  readonly character?: { readonly slug: string; readonly name: string };
}

/**
 * As the last answer of this chat from the same service has it: another one has personas of its own.
 * @param serviceAddress The address of the service.
 */
export function findPersona(
  { history }: vscode.ChatContext,
  serviceAddress: string,
): StoredPersona {
  const character = history
    .filter((turn) => turn instanceof vscode.ChatResponseTurn)
    .filter(({ participant }) => participant === participantId)
    .map(({ result }) => (isRecord(result.metadata) ? result.metadata : {}))
    .findLast(({ address }) => address === serviceAddress)?.['character'];
  if (!isRecord(character)) return {};
  const { slug, name } = character;
  if (typeof slug !== 'string' || typeof name !== 'string') return {};
  return /^[\w-]{1,128}$/u.test(slug) ? { character: { slug, name } } : {};
}

interface ChoosePersonaOptions {
  /** What the person typed behind the command. */
  readonly search: string;
  readonly stream: vscode.ChatResponseStream;
  readonly signal: AbortSignal;
}

/**
 * Lets the person choose who answers from now on, or nobody.
 * @returns what to keep in place of what was kept before; undefined when they changed their mind
 * @throws ServiceError
 */
export async function choosePersona(
  { service }: Pick<Host, 'service'>,
  { search, stream, signal }: ChoosePersonaOptions,
): Promise<{ readonly character: StoredPersona['character'] } | undefined> {
  stream.progress(vscode.l10n.t('Loading personas…'));
  const query = { ...(search.trim() === '' ? {} : { search }), isAdult: false, limit: 50 };
  const { characters } = await listCharacters(service, query, { signal });
  if (characters.length === 0) {
    stream.markdown(vscode.l10n.t('No persona was found. Try other words.'));
    return undefined;
  }
  const none = { label: vscode.l10n.t('No persona'), character: undefined };
  const items = characters.map(({ slug, name, description }) => ({
    label: withoutIcons(name),
    detail: withoutIcons(description.slice(0, 200)),
    character: { slug, name },
  }));
  const placeHolder = vscode.l10n.t('Who answers in this chat?');
  const chosen = await vscode.window.showQuickPick([none, ...items], { placeHolder });
  if (chosen === undefined) {
    stream.markdown(vscode.l10n.t('Nothing was changed.'));
    return undefined;
  }
  const { character } = chosen;
  const message = new vscode.MarkdownString();
  message.appendText(
    character === undefined
      ? vscode.l10n.t('The model answers as itself again.')
      : vscode.l10n.t(
          '{0} answers here from now on, played by the model of this chat.',
          character.name,
        ),
  );
  stream.markdown(message);
  return { character };
}
