import * as vscode from 'vscode';
import {
  type FactOrigin,
  type Model,
  type ModelFact,
  modelFacts,
} from '../../service/model-types.ts';

/**
 * Returns the origins of facts that are not from the model list, such as `Context size, tools: reported at /props`.
 * Empty if all known facts are from the model list.
 */
export function formatOrigins({ origins = {} }: Pick<Model, 'origins'>): readonly string[] {
  const labels = getFactLabels();
  const knownOrigins = modelFacts.flatMap((fact) => {
    const origin = origins[fact];
    return origin === undefined ? [] : [{ label: labels[fact], origin }];
  });
  return [...Map.groupBy(knownOrigins, ({ origin }) => origin)].map(([origin, facts]) =>
    formatFactsWithOrigin(facts.map(({ label }) => label).join(', '), origin),
  );
}

/** Returns the origin of one fact as text for display. */
export function formatOrigin(origin: FactOrigin): string {
  if (origin === 'refusal') return vscode.l10n.t('Learned from a refusal');
  if (origin === 'setting') return vscode.l10n.t('Set in your settings');
  return vscode.l10n.t('Reported at {0}', origin);
}

function formatFactsWithOrigin(factLabels: string, origin: FactOrigin): string {
  if (origin === 'refusal')
    return vscode.l10n.t('{0}: {1}', factLabels, vscode.l10n.t('Learned from a refusal'));
  if (origin === 'setting')
    return vscode.l10n.t('{0}: {1}', factLabels, vscode.l10n.t('Set in your settings'));
  return vscode.l10n.t('{0}: {1}', factLabels, vscode.l10n.t('Reported at {0}', origin));
}

const getFactLabels = (): Readonly<Record<ModelFact, string>> => ({
  context: vscode.l10n.t('Context size'),
  tools: vscode.l10n.t('tools'),
  images: vscode.l10n.t('Images'),
  reasoning: vscode.l10n.t('reasoning'),
  price: vscode.l10n.t('Price'),
});
