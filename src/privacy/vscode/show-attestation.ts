import * as vscode from 'vscode';
import type { Account } from '../../account/vscode/account.ts';
import { reportAndShowFailure } from '../../account/vscode/show-failure.ts';
import type { Disposable } from '../../base/disposable.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { isRecord } from '../../base/json.ts';
import type { ModelCatalog } from '../../models/vscode/model-catalog.ts';
import { showCancellable, showInformation, escapeIcons } from '../../platform/notifications.ts';
import { requestAttestation, AttestationReports } from './attestations.ts';
import type { AttestationSummary } from '../../service/chat/protection.ts';
import { ServiceError } from '../../service/http/failure.ts';
import type { Model } from '../../service/model-types.ts';
import type { Attestation, CheckName } from '../../service/privacy/verify-attestation.ts';
import { stripEllipsis } from '../../base/amounts.ts';

/** URI scheme of attestation documents. */
const documentScheme = 'inference-service-attestation';
/** Maximum number of attestation texts to keep in memory for open tabs. */
const maxTexts = 20;

/** Shows attestations as rendered pages, in VS Code's Markdown preview. */
export class AttestationDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(
    documentScheme,
    this,
  );
  /** Texts of the attestations opened last, by the number in their URI. */
  readonly #texts = new Map<string, string>();
  #documentCount = 0;

  provideTextDocumentContent({ query }: vscode.Uri): string {
    return this.#texts.get(query) ?? '';
  }

  /**
   * Opens a formatted attestation in a new tab, as a rendered page. Shows the Markdown source if VS Code's Markdown
   * extension is disabled.
   * @param text Result of {@link formatAttestation}.
   * @param name Name of the model, for the title of the tab.
   */
  async openDocument(text: string, name: string): Promise<void> {
    this.#documentCount += 1;
    const query = String(this.#documentCount);
    this.#texts.set(query, formatAttestationMarkdown(stripHiddenCharacters(text).text, name));
    this.#texts.delete(String(this.#documentCount - maxTexts));
    // The name comes from the service, so it must not be used as a path.
    const title = vscode.l10n.t('Attestation of {0}', name.replaceAll(/[^\p{L}\p{N} .-]/gu, ' '));
    const uri = vscode.Uri.from({ scheme: documentScheme, path: `/${title}`, query });
    try {
      await vscode.commands.executeCommand('markdown.showPreview', uri);
    } catch {
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.window.showTextDocument(document, { preview: true });
    }
  }

  dispose(): void {
    this.#registration.dispose();
  }
}

/** Returns the label of each check, by check name. A label states what is true if the check passed. */
const getCheckLabels = (): Readonly<Record<CheckName, string>> => ({
  quote: vscode.l10n.t('Quote of a confidential machine'),
  model: vscode.l10n.t('Quote of the requested model'),
  nonce: vscode.l10n.t('Fresh quote, made for this request'),
  'key-bound': vscode.l10n.t('Enclave’s key in the quote'),
  debug: vscode.l10n.t('Machine without debugging'),
  signature: vscode.l10n.t('Valid signature of the quote'),
  hardware: vscode.l10n.t('Genuine hardware, certified by Intel'),
  key: vscode.l10n.t('Key suitable for encryption'),
  'gpu-nonce': vscode.l10n.t('Fresh evidence of the GPU, if any'),
});

/** Returns one sentence for each failed check. */
export const listAttestationProblems = ({ checks }: Attestation): string[] =>
  checks
    .filter(({ hasPassed }) => !hasPassed)
    .map(
      ({ name }) =>
        `${vscode.l10n.t('{0}: {1}', vscode.l10n.t('Failed'), getCheckLabels()[name])}.`,
    );

/** Returns a sentence that lists the properties of an enclave that the extension does not check. */
export const formatUncheckedClaims = (): string =>
  vscode.l10n.t(
    'Not checked: revoked certificates and missing updates of the hardware, the measured software, the GPU beyond its nonce, and whether the enclave itself wrote an answer.',
  );

/** Formats an attestation as plain text: the result, the checks, the unverified claims, and the evidence. */
export function formatAttestation(attestation: Attestation, name: string): string {
  const { checks, provider, publicKey, measurements = {}, evidence, checkedAt } = attestation;
  const details = [
    new Date(checkedAt).toLocaleString(vscode.env.language),
    ...(provider === undefined ? [] : [vscode.l10n.t('Provider: {0}', provider)]),
    ...(publicKey === undefined ? [] : [vscode.l10n.t('Key of the enclave: {0}', publicKey)]),
  ];
  const parts = [
    vscode.l10n.t('Attestation of {0}', name),
    formatVerdict(attestation),
    details.join('\n'),
    formatSection(vscode.l10n.t('Checks'), checks.map(formatCheck)),
    formatUncheckedClaims(),
    formatSection(
      vscode.l10n.t('Measurements'),
      Object.entries(measurements).map(([register, value]) => `${register} ${value}`),
    ),
    formatSection(vscode.l10n.t('What the service answered'), [evidence]),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/**
 * Converts the result of {@link formatAttestation} to Markdown. Values from the service cannot create markup, because
 * their punctuation is escaped and the evidence is in a code block.
 */
export function formatAttestationMarkdown(text: string, name: string): string {
  const evidenceTitle = vscode.l10n.t('What the service answered');
  const sections = [vscode.l10n.t('Checks'), vscode.l10n.t('Measurements')];
  const [reportText = '', ...evidence] = text.split(`\n\n${evidenceTitle}\n\n`);
  const blocks = reportText.split('\n\n').map((block) => {
    if (block === vscode.l10n.t('Attestation of {0}', name)) return `# ${escapeMarkdown(block)}`;
    if (sections.includes(block)) return `## ${block}`;
    return block
      .split('\n')
      .map(
        (line, _, lines) =>
          (lines.length === 1 && !/^[✓✗·]/u.test(line) ? '' : getListMarker(line)) +
          escapeMarkdown(line.trim()),
      )
      .join('\n');
  });
  return [
    ...blocks,
    ...(evidence.length === 0
      ? []
      : [`## ${evidenceTitle}`, formatCodeBlock(evidence.join(`\n\n${evidenceTitle}\n\n`))]),
  ].join('\n\n');
}

/**
 * Returns the Markdown list marker for a line. Returns spaces for an indented line, because it continues the previous
 * list item.
 */
const getListMarker = (line: string): string => (line.startsWith(' ') ? '  ' : '- ');

/** Escapes all punctuation, so that a text cannot create markup, links or HTML. */
const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[!-/:-@[-`{-~]/gu, String.raw`\$&`);

/** Encloses a text in a fence that is longer than every run of backticks in the text. */
function formatCodeBlock(text: string): string {
  const longestRun = Math.max(2, ...(text.match(/`+/gu) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longestRun + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}\n`;
}

const formatVerdict = ({ verdict }: Attestation): string =>
  verdict === 'verified'
    ? vscode.l10n.t(
        'Verified: genuine Intel hardware signed a fresh statement about this model and its key.',
      )
    : vscode.l10n.t('Failed: do not rely on this enclave.');

function formatCheck({ name, hasPassed, detail }: Attestation['checks'][number]): string {
  const line = `${hasPassed ? '✓' : '✗'} ${getCheckLabels()[name]}`;
  return detail === '' ? line : `${line}\n    ${detail}`;
}

const formatSection = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${title}\n\n${lines.join('\n')}`;

interface AttestationHost {
  readonly context: vscode.ExtensionContext;
  readonly account: Account;
  readonly models: ModelCatalog;
}

const documentsByHost = new WeakMap<object, AttestationDocuments>();

/** Runs "Show Attestation of a Model". Registers the document provider once per window, on first use. */
export async function showAttestationCommand(
  host: AttestationHost,
  ...args: readonly unknown[]
): Promise<void> {
  const { context } = host;
  const documents = documentsByHost.get(context) ?? new AttestationDocuments();
  if (!documentsByHost.has(context)) context.subscriptions.push(documents);
  documentsByHost.set(context, documents);
  await showAttestation({ host, documents }, ...args);
}

interface AttestationCommandContext {
  readonly host: AttestationHost;
  readonly documents: AttestationDocuments;
}

/**
 * Shows the stored attestation report of an answer. Without a stored report, requests and shows a new attestation of
 * the model's enclave.
 * @param modelId Id of a model. By default, the user selects a model that runs in an enclave.
 * @param protection Protection of the answer. Absent to show a new attestation.
 */
export async function showAttestation(
  context: AttestationCommandContext,
  modelId?: unknown,
  protection?: unknown,
): Promise<void> {
  const { host, documents } = context;
  const summary = readAttestationSummary(protection);
  const storedReport = summary && (await new AttestationReports(host.context).readReport(summary));
  if (!storedReport)
    return showNewAttestation(context, modelId, protection === undefined ? '' : getNewCheckNote());
  await documents.openDocument(
    `${getStoredCheckNote()}\n\n${storedReport}`,
    getModelName(host.models, String(modelId)),
  );
}

/**
 * Reads the protection of an answer from a command argument, which any extension can send. Returns undefined if the
 * argument contains no attestation.
 */
function readAttestationSummary(protection: unknown): AttestationSummary | undefined {
  if (!isRecord(protection)) return undefined;
  const { checkedAt, publicKey } = protection;
  if (typeof checkedAt !== 'number') return undefined;
  return { checkedAt, ...(typeof publicKey === 'string' && { publicKey }) };
}

const getStoredCheckNote = (): string => vscode.l10n.t('Checked before the answer was requested.');

const getNewCheckNote = (): string =>
  vscode.l10n.t('This is a new check, not the one before the answer.');

/**
 * Requests an attestation and shows it in a new tab.
 * @param note Text to show above the attestation.
 */
async function showNewAttestation(
  { host, documents }: AttestationCommandContext,
  modelId: unknown,
  note: string,
): Promise<void> {
  const model = await selectModel(host, modelId);
  if (model === undefined) return;
  const { account } = host;
  const { profile } = account;
  try {
    const title = vscode.l10n.t('Checking the enclave of {0}…', model.name);
    const attestation = await showCancellable(title, (signal) =>
      requestAttestation(account.service, model.id, signal),
    );
    const text = formatAttestation(attestation, model.name);
    await documents.openDocument(note === '' ? text : `${note}\n\n${text}`, model.name);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    await reportAndShowFailure(
      { account, profile, failure: error.failure },
      {
        retry: () => showNewAttestation({ host, documents }, model.id, note),
        suggestedActions: ['show-log'],
        excludedActions: ['set-address'],
      },
    );
  }
}

async function selectModel(
  { models }: Pick<AttestationHost, 'models'>,
  modelId: unknown,
): Promise<Model | undefined> {
  if (models.allModels.length === 0) await models.refresh();
  const attestableModels = models.allModels.filter(
    ({ capabilities }) => capabilities.supportsTeeAttestation || capabilities.supportsE2EE,
  );
  if (typeof modelId === 'string') {
    const foundModel = attestableModels.find(({ id }) => id === modelId);
    if (foundModel === undefined)
      void showInformation(formatNotAttestedMessage(getModelName(models, modelId)));
    return foundModel;
  }
  if (attestableModels.length === 0) {
    void showInformation(vscode.l10n.t('None of the service’s models runs in an enclave.'));
    return undefined;
  }
  const items = attestableModels.map((model) => ({ label: escapeIcons(model.name), model }));
  const title = stripEllipsis(vscode.l10n.t('Show Attestation of a Model…'));
  return (await vscode.window.showQuickPick(items, { title }))?.model;
}

const getModelName = (models: AttestationHost['models'], id: string): string =>
  (models.find(id)?.name ?? id).slice(0, 100);

const formatNotAttestedMessage = (name: string): string =>
  vscode.l10n.t('The service offers no enclave of {0} that could be checked.', name);
