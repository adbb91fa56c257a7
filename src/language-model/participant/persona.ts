import * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import { listCharacters } from '../../service/characters.ts';
import { toServiceError } from '../../service/http/network-failure.ts';
import type { ModelSource } from '../model-source.ts';
import { escapeIcons } from '../../platform/notifications.ts';
import { participantId } from './turns.ts';

/** Persona of a chat. Stored in the metadata of each answer. */
export interface StoredPersona {
  readonly character?: { readonly slug: string; readonly name: string };
}

/**
 * Returns the persona of the chat's latest answer from the service at `baseUrl`. Returns an empty object if there is
 * no such answer or it has no persona.
 * @param baseUrl Base URL of the service.
 */
export function findPersona({ history }: vscode.ChatContext, baseUrl: string): StoredPersona {
  const character = history
    .filter((turn) => turn instanceof vscode.ChatResponseTurn)
    .filter(({ participant }) => participant === participantId)
    .map(({ result }) => (isRecord(result.metadata) ? result.metadata : {}))
    .findLast(({ address }) => address === baseUrl)?.['character'];
  if (!isRecord(character)) return {};
  const { slug, name } = character;
  if (typeof slug !== 'string' || typeof name !== 'string') return {};
  return /^[\w-]{1,128}$/u.test(slug) ? { character: { slug, name } } : {};
}

interface ChoosePersonaOptions {
  /** Text that the user entered after the slash command. Empty to list all personas. */
  readonly query: string;
  readonly stream: vscode.ChatResponseStream;
  readonly signal: AbortSignal;
}

/**
 * Prompts the user to select a persona, or no persona, for later answers.
 * @returns the metadata to store; undefined if no persona was found or the user cancels
 * @throws ServiceError if the personas cannot be loaded
 */
export async function choosePersona(
  source: Pick<ModelSource, 'service' | 'createReporter'>,
  { query: search, stream, signal }: ChoosePersonaOptions,
): Promise<{ readonly character: StoredPersona['character'] } | undefined> {
  stream.progress(vscode.l10n.t('Loading…'));
  const listOptions = { ...(search.trim() === '' ? {} : { search }), isAdult: false, limit: 50 };
  const report = source.createReporter();
  const { characters } = await listCharacters(source.service, listOptions, { signal }).catch(
    (error: unknown) => {
      const { failure } = toServiceError(error);
      if (failure.code !== 'stopped') report(failure);
      throw error;
    },
  );
  if (characters.length === 0) {
    stream.markdown(vscode.l10n.t('No results'));
    return undefined;
  }
  const noPersona = { label: vscode.l10n.t('None'), character: undefined };
  const items = characters.map(({ slug, name, description }) => ({
    label: escapeIcons(name),
    detail: escapeIcons(description.slice(0, 200)),
    character: { slug, name },
  }));
  const placeHolder = vscode.l10n.t('Select the persona that answers in this chat');
  const chosenItem = await vscode.window.showQuickPick([noPersona, ...items], { placeHolder });
  if (chosenItem === undefined) {
    stream.markdown(vscode.l10n.t('The chat stays as it was.'));
    return undefined;
  }
  const { character } = chosenItem;
  const message = new vscode.MarkdownString();
  message.appendText(
    character === undefined
      ? vscode.l10n.t('The model answers as itself again.')
      : vscode.l10n.t('{0} answers in this chat.', character.name),
  );
  stream.markdown(message);
  return { character };
}
