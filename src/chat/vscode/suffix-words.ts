import * as vscode from 'vscode';
import { suffixOf } from '../../service/model-suffix.ts';

/** What the suffix of a model's id sets, a sentence each, by the names of the service's parameters. */
export const suffixWords = (modelId: string): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(suffixOf(modelId)).map(([name, value]) => [
      name,
      vscode.l10n.t(
        'The model’s id sets {0} to {1}, which wins over what is chosen here.',
        name,
        value.slice(0, longestValue),
      ),
    ]),
  );

const longestValue = 200;
