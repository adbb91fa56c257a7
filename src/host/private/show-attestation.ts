import * as vscode from 'vscode';
import { ServiceError } from '../../service/failure.ts';
import type { Model } from '../../service/model-types.ts';
import { actionLabel, failureAction } from '../failure-action.ts';
import type { Host } from '../host.ts';
import { withoutIcons } from '../plain-text.ts';
import { showCancellable, tellError, tellInformation } from '../tell.ts';
import type { AttestationDocuments } from './attestation-documents.ts';
import { attest } from './attestations.ts';

/**
 * "Show attestation": asks the enclave of a model to attest itself now, and shows the verdict with all that it rests on.
 * @param wanted The id of a model; without one the person chooses among those that run in enclaves.
 */
export async function showAttestation(
  host: Host,
  documents: AttestationDocuments,
  wanted: unknown,
): Promise<void> {
  const model = await modelOf(host, wanted);
  if (model === undefined) return;
  try {
    const title = vscode.l10n.t('Checking the enclave of {0}…', model.name);
    const attestation = await showCancellable(title, (signal) =>
      attest(host.account.service, model.id, signal),
    );
    await documents.open(attestation, model.name);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.failure.code !== 'stopped') await tellFailure(error.failure.message);
  }
}

async function modelOf(
  { models }: Pick<Host, 'models'>,
  wanted: unknown,
): Promise<Model | undefined> {
  if (models.all.length === 0) await models.refresh();
  const attesting = models.all.filter(
    ({ capabilities }) => capabilities.supportsTeeAttestation || capabilities.supportsE2EE,
  );
  if (typeof wanted === 'string') return attesting.find(({ id }) => id === wanted);
  if (attesting.length === 0) {
    void tellInformation(vscode.l10n.t('None of the service’s models runs in an enclave.'));
    return undefined;
  }
  const items = attesting.map((model) => ({ label: withoutIcons(model.name), model }));
  const title = vscode.l10n.t('Show attestation');
  const placeHolder = vscode.l10n.t('The model whose enclave is to be checked');
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.model;
}

async function tellFailure(message: string): Promise<void> {
  const log = actionLabel('show-log');
  if ((await tellError(message, log)) === log) await failureAction('show-log').run();
}
