import * as vscode from 'vscode';
import { editRequest, unsentEditOptions, unsentOptions } from '../../image-request.ts';
import type { EditModel, ImageModel } from '../../image-model.ts';
import { editPrice, imagePrice } from '../../image-price.ts';
import { resolveImageSize } from '../../image-size.ts';
import { choiceProblem, type OptionProblem, optionProblems } from '../../image-options.ts';
import type { CreateDraft, EditDraft, StudioCheck, StudioField } from '../protocol/form.ts';
import { unsentText } from '../../vscode/refused-option.ts';
import { editOptionsOf, toImageOptions, type StudioInput } from './studio.ts';
import { fitPrice } from './studio-view.ts';

type Problem = StudioCheck['problems'][number];

interface CheckInput<Draft, Model> {
  readonly draft: Draft;
  /** Selected model. Undefined if none is selected, or if the service no longer offers the selected model. */
  readonly model: Model | undefined;
  readonly seq: number;
  /** Reason why the account cannot make calls, as a message for the user. Undefined if calls are possible. */
  readonly account: string | undefined;
}

/** Returns the price and the problems of the create form. */
export function checkCreate({
  draft,
  model,
  seq,
  account,
}: CheckInput<CreateDraft, ImageModel>): StudioCheck {
  const options = toImageOptions(draft);
  const price = model === undefined ? undefined : imagePrice(model, options);
  const imageCost =
    model === undefined ? undefined : imagePrice(model, { ...options, variants: 1 });
  const size = model === undefined ? { width: 1, height: 1 } : resolveImageSize(model, options);
  return {
    mode: 'create',
    seq,
    priceText: fitPrice(price),
    priceDetail:
      draft.variants === 1 || imageCost === undefined
        ? ''
        : vscode.l10n.t('{0} pictures at {1} each', draft.variants, fitPrice(imageCost)),
    note: model === undefined ? '' : unsentText(unsentOptions(model, options)),
    canRestore: (model?.omittedFields ?? []).length > 0,
    problems: [
      ...accountProblems(account),
      ...(model === undefined
        ? [noModelProblem()]
        : optionProblems(model, draft.prompt, options).map(problemOf)),
    ],
    ...size,
  };
}

export function checkEdit({
  draft,
  model,
  seq,
  account,
  inputs,
}: CheckInput<EditDraft, EditModel> & { readonly inputs: readonly StudioInput[] }): StudioCheck {
  const images = Math.max(1, inputs.length);
  const options = { ...editOptionsOf(draft), images };
  const request = model && editRequest(model, draft.prompt, options);
  const price = model && request && editPrice(model, { ...request, images });
  const [first] = inputs;
  return {
    mode: 'edit',
    seq,
    priceText: fitPrice(price),
    priceDetail: '',
    note: model === undefined ? '' : unsentText(unsentEditOptions(model, options)),
    canRestore: (model?.omittedFields ?? []).length > 0,
    problems: [
      ...accountProblems(account),
      ...(model === undefined ? [noModelProblem()] : editProblems(draft, model, inputs.length)),
    ],
    width: first?.width ?? 1,
    height: first?.height ?? 1,
  };
}

function editProblems(draft: EditDraft, model: EditModel, inputs: number): Problem[] {
  const { promptLimit: limit, maxImages } = model;
  const { length } = draft.prompt;
  return [
    ...(inputs === 0 ? [error('inputs', vscode.l10n.t('Choose a picture to change.'))] : []),
    ...(inputs > maxImages
      ? [
          error(
            'inputs',
            maxImages === 1
              ? vscode.l10n.t('{0} takes one picture. Remove the others.', model.name)
              : vscode.l10n.t('{0} takes {1} pictures at most.', model.name, maxImages),
          ),
        ]
      : []),
    ...(draft.prompt.trim() === ''
      ? [error('prompt', vscode.l10n.t('Say what is to be changed.'))]
      : []),
    ...(length > limit ? [error('prompt', tooLongText(length, limit))] : []),
    ...[
      ...choiceProblem('aspectRatio', draft.aspectRatio ?? undefined, model.ratios),
      ...choiceProblem('resolution', draft.resolution ?? undefined, model.resolutions),
      ...choiceProblem('quality', draft.quality ?? undefined, model.qualities),
    ].map(problemOf),
  ];
}

/**
 * Converts a problem of an option to a problem of the form. Only prompt problems are errors, because the request
 * corrects all other options.
 */
function problemOf(problem: OptionProblem): Problem {
  switch (problem.code) {
    case 'empty':
      return error('prompt', vscode.l10n.t('Describe the picture.'));
    case 'too-long':
      return error(problem.field, tooLongText(problem.length, problem.limit));
    case 'out-of-range':
      return warning(
        fieldOf(problem.field),
        vscode.l10n.t('Between {0} and {1}; the nearest is taken.', problem.min, problem.max),
      );
    case 'not-multiple':
      return warning(
        'size',
        vscode.l10n.t('A multiple of {0}; the nearest is taken.', problem.divisor),
      );
    case 'not-whole':
      return warning(fieldOf(problem.field), vscode.l10n.t('A whole number; it is rounded.'));
    case 'not-offered':
      return warning(
        problem.field,
        vscode.l10n.t('This model offers {0}; its default is taken.', problem.choices.join(', ')),
      );
  }
}

const fieldOf = (field: 'width' | 'height' | 'steps' | 'cfgScale' | 'seed'): StudioField =>
  field === 'width' || field === 'height' ? 'size' : field;

const noModelProblem = (): Problem =>
  error('model', vscode.l10n.t('Choose a model. The list comes from the service.'));

const accountProblems = (account: string | undefined): Problem[] =>
  account === undefined ? [] : [error('account', account)];

const tooLongText = (length: number, limit: number): string =>
  vscode.l10n.t('{0} of {1} characters: shorten it.', length, limit);

const error = (field: StudioField, text: string): Problem => ({ field, severity: 'error', text });

const warning = (field: StudioField, text: string): Problem => ({
  field,
  severity: 'warning',
  text,
});
