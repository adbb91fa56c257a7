import * as vscode from 'vscode';
import type { Account } from '../../account/vscode/account.ts';
import { showInformation, showStatusMessage } from '../../platform/notifications.ts';
import { formatDiagnostics } from '../diagnostics.ts';
import type { ModelCatalog } from './model-catalog.ts';
import { findSelectedModel } from './selected-model.ts';

interface DiagnosticsHost {
  readonly account: Account;
  readonly models: ModelCatalog;
  readonly context: Pick<vscode.ExtensionContext, 'extension'>;
}

/**
 * Runs "Copy Diagnostics". Copies information about the connection, without keys, wallet addresses, or texts of the
 * user or the service.
 */
export async function copyDiagnostics(host: DiagnosticsHost): Promise<void> {
  await vscode.env.clipboard.writeText(await readDiagnostics(host));
  showStatusMessage(vscode.l10n.t('Copied'));
}

/**
 * Runs "Report Issue". Opens VS Code's issue reporter with the diagnostics. If the reporter does not open, copies the
 * diagnostics.
 */
export async function reportIssue(host: DiagnosticsHost): Promise<void> {
  const diagnostics = await readDiagnostics(host);
  try {
    await vscode.commands.executeCommand('workbench.action.openIssueReporter', {
      extensionId: host.context.extension.id,
      issueBody: `${diagnostics}\n`,
    });
  } catch {
    await vscode.env.clipboard.writeText(diagnostics);
    void showInformation(
      vscode.l10n.t(
        'The issue reporter of VS Code did not open. The diagnostics are on the clipboard.',
      ),
    );
  }
}

async function readDiagnostics({ account, models, context }: DiagnosticsHost): Promise<string> {
  const { key, profile } = account;
  const managementKey = await account.readStoredKey(profile, 'management').catch(() => undefined);
  const { version } = context.extension.packageJSON as { readonly version: string };
  return formatDiagnostics({
    versions: {
      'Inference Service': version,
      'VS Code': vscode.version,
      host: `${vscode.env.appHost} ${process.platform} ${process.arch}`,
      'Node.js': process.versions.node,
    },
    keyState: key.kind,
    baseUrl: profile.baseUrl,
    facts: getConnectionFacts(account),
    model: findSelectedModel(models),
    outcomes: account.recentOutcomes,
    secrets: [key.kind === 'usable' ? key.key : '', managementKey ?? ''],
  });
}

/**
 * Returns the stored facts about the service of the account. Returns an empty object if the base URL is missing or
 * invalid.
 */
function getConnectionFacts(account: Account): Account['connection']['facts'] {
  try {
    return account.connection.facts;
  } catch {
    return {};
  }
}
