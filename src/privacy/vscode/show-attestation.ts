import * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import { ServiceError } from '../../service/http/failure.ts';
import type { Model } from '../../service/model-types.ts';
import type { Attested } from '../../service/chat/protection.ts';
import { actionLabel, failureAction } from '../../account/vscode/failure-actions.ts';
import type { Host } from '../../host.ts';
import {
  showCancellable,
  tellError,
  tellInformation,
  withoutIcons,
} from '../../platform/notifications.ts';
import type { AttestationDocuments } from './attestation-documents.ts';
import { AttestationFiles } from './attestation-files.ts';
import { attestationText } from './attestation-text.ts';
import { attest } from './attestations.ts';

interface Showing {
  readonly host: Host;
  readonly documents: AttestationDocuments;
}

/**
 * "Show attestation": what was checked for an answer, as it was kept; else asks the enclave of a model to attest itself now,
 * and shows the verdict with all that it rests on.
 * @param wanted The id of a model; without one the person chooses among those that run in enclaves.
 * @param protection Of the answer, if it is about one.
 */
export async function showAttestation(
  showing: Showing,
  wanted?: unknown,
  protection?: unknown,
): Promise<void> {
  const { host, documents } = showing;
  const attested = attestedBy(protection);
  const kept = attested && (await new AttestationFiles(host.context).find(attested));
  if (!kept) return showNow(showing, wanted, protection === undefined ? '' : newCheck(attested));
  await documents.open(`${keptCheck()}\n\n${kept}`, nameOf(host.models, String(wanted)));
}

/** Undefined where the answer rests on no attestation. Commands are called by anybody. */
function attestedBy(protection: unknown): Attested | undefined {
  if (!isRecord(protection)) return undefined;
  const { checkedAt, publicKey } = protection;
  if (typeof checkedAt !== 'number') return undefined;
  return { checkedAt, ...(typeof publicKey === 'string' && { publicKey }) };
}

const keptCheck = (): string =>
  vscode.l10n.t(
    'This was checked before the answer was asked for. The enclave is not asked again.',
  );

const newCheck = (attested: Attested | undefined): string =>
  attested === undefined
    ? vscode.l10n.t('This is a new check. The answer itself was sent for without one.')
    : vscode.l10n.t(
        'This is a new check. What was checked for the answer, on {0}, is not kept.',
        new Date(attested.checkedAt).toLocaleString(vscode.env.language),
      );

/** @param note Stands above it. */
async function showNow({ host, documents }: Showing, wanted: unknown, note: string): Promise<void> {
  const model = await modelOf(host, wanted);
  if (model === undefined) return;
  try {
    const title = vscode.l10n.t('Checking the enclave of {0}…', model.name);
    const attestation = await showCancellable(title, (signal) =>
      attest(host.account.service, model.id, signal),
    );
    const text = attestationText(attestation, model.name);
    await documents.open(note === '' ? text : `${note}\n\n${text}`, model.name);
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
  if (typeof wanted === 'string') {
    const found = attesting.find(({ id }) => id === wanted);
    if (found === undefined) void tellInformation(notAttested(nameOf(models, wanted)));
    return found;
  }
  if (attesting.length === 0) {
    void tellInformation(vscode.l10n.t('None of the service’s models runs in an enclave.'));
    return undefined;
  }
  const items = attesting.map((model) => ({ label: withoutIcons(model.name), model }));
  const title = vscode.l10n.t('Show attestation');
  const placeHolder = vscode.l10n.t('The model whose enclave is to be checked');
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.model;
}

const nameOf = (models: Host['models'], id: string): string =>
  (models.find(id)?.name ?? id).slice(0, 100);

const notAttested = (name: string): string =>
  vscode.l10n.t('The service offers no enclave of {0} that could be checked.', name);

async function tellFailure(message: string): Promise<void> {
  const log = actionLabel('show-log');
  if ((await tellError(message, log)) === log) await failureAction('show-log').run();
}
