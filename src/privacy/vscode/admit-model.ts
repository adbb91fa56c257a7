import * as vscode from 'vscode';
import { isPermitted } from '../../models/choice.ts';
import { ServiceError } from '../../service/http/failure.ts';
import type { ModelUse } from '../../service/http/client.ts';
import type { ModelCatalogue } from '../../models/vscode/model-catalogue.ts';

/**
 * Lets private models through, and nothing else.
 * @throws ServiceError `private-only`
 */
export async function admitModel(
  models: Pick<ModelCatalogue, 'all' | 'refresh'>,
  use: ModelUse,
): Promise<void> {
  if (models.all.length === 0) await models.refresh();
  if (!isPermitted(models.all, use)) throw notPrivate(use.model);
}

export const notPrivate = (model: string | undefined): ServiceError =>
  new ServiceError({
    code: 'private-only',
    message:
      model === undefined
        ? vscode.l10n.t(
            'Nothing was sent: only private models may be used here, and this request leaves the model to the service. Change the setting “Private Models Only” to allow it.',
          )
        : vscode.l10n.t(
            'Nothing was sent: only private models may be used here, and {0} is not known to be one. Choose a private model, or change the setting “Private Models Only”.',
            model.slice(0, 100),
          ),
  });
