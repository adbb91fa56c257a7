import * as vscode from 'vscode';
import { chatModels } from '../../models/choice.ts';
import { ServiceError } from '../../service/http/failure.ts';
import type { Model } from '../../service/model-types.ts';
import { encryptsChats } from '../../privacy/vscode/privacy-settings.ts';

/**
 * The same model where it searches, else the best one that does and takes plain text.
 * @throws ServiceError where the chat is encrypted: a search is not, and no other model takes its place
 */
export function searchModel(model: Model, models: readonly Model[]): Model {
  if (encryptsChats(model)) throw new ServiceError(encrypted(model));
  if (model.capabilities.supportsWebSearch) return model;
  const able = chatModels(models).find(
    (each) => !each.offline && each.capabilities.supportsWebSearch && !encryptsChats(each),
  );
  return able ?? model;
}

const encrypted = ({ name }: Model) =>
  ({
    code: 'protection-failed',
    message: `${name.slice(0, 100)}: ${vscode.l10n.t(
      'Left out, since they do not go with encryption: {0}.',
      vscode.l10n.t('web search'),
    )}`,
  }) as const;
