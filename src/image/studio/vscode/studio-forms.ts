import * as vscode from 'vscode';
import type { Handlers } from '../../../base/handlers.ts';
import type { Host } from '../../../host.ts';
import type { ImageServices } from '../../vscode/image-services.ts';
import type { SavedFiles } from '../../vscode/save-image.ts';
import type { StudioHostMessage, StudioPageMessage, StudioState } from '../protocol/messages.ts';
import type { ImageActions } from './image-actions.ts';
import { type Studio, toEditOptions, toImageOptions, type StudioInput } from './studio.ts';
import { type StudioImages, formatShortPrice } from './studio-view.ts';
import { buildEditRequest, listUnsentEditOptions, listUnsentOptions } from '../../image-request.ts';
import type { EditModel, ImageModel } from '../../image-model.ts';
import { estimateEditPrice, estimateImagePrice } from '../../image-price.ts';
import { resolveImageSize } from '../../image-size.ts';
import { findChoiceProblems, type OptionProblem, findOptionProblems } from '../../image-options.ts';
import type { CreateDraft, EditDraft, StudioCheck, StudioField } from '../protocol/form.ts';
import { formatUnsentOptions } from '../../vscode/refused-option.ts';

/** Dependencies of a studio page's forms, gallery and jobs. */
export interface StudioPorts {
  readonly host: Host;
  readonly services: ImageServices;
  readonly studio: Studio;
  readonly savedFiles: SavedFiles;
  readonly actions: ImageActions;
  readonly images: StudioImages;
  readonly post: (message: StudioHostMessage) => void;
  /** Shows a sentence on the page for a short time. */
  readonly showNotice: (text: string) => void;
}

export type MessageOf<Type extends StudioPageMessage['type']> = Extract<
  StudioPageMessage,
  { readonly type: Type }
>;

type FormMessage = MessageOf<
  | 'create-change'
  | 'edit-change'
  | 'create-run'
  | 'edit-run'
  | 'input-pick'
  | 'input-remove'
  | 'inputs-set'
  | 'inputs-clear'
  | 'unsent-restore'
>;

type StudioCheckState = NonNullable<StudioState['check']>;

/** Handles the form messages of a studio page. Stores and checks drafts, changes the input images and starts jobs. */
export class StudioForms {
  readonly #ports: StudioPorts;
  /** Sequence number (`seq`) of the last form change that the page sent; 0 before the first. */
  #seq = 0;

  constructor(ports: StudioPorts) {
    this.#ports = ports;
  }

  readonly handlers: Handlers<FormMessage, [], unknown> = {
    'create-change': ({ draft, seq }) => {
      this.#ports.studio.createFormDraft = draft;
      this.#onFormChange(seq);
    },
    'edit-change': ({ draft, seq }) => {
      this.#ports.studio.editFormDraft = draft;
      this.#onFormChange(seq);
    },
    'create-run': ({ draft }) => {
      const { studio } = this.#ports;
      studio.createFormDraft = draft;
      return this.#hasFormErrors('create') ? this.postCheck() : studio.startCreateJob(draft);
    },
    'edit-run': ({ draft }) => {
      const { studio } = this.#ports;
      studio.editFormDraft = draft;
      return this.#hasFormErrors('edit') ? this.postCheck() : studio.startEditJob(draft);
    },
    'input-pick': async () => {
      const message = await this.#ports.actions.pickInputFiles();
      if (message !== undefined) this.#ports.showNotice(message);
    },
    'input-remove': ({ id }) => {
      const { studio } = this.#ports;
      studio.setInputs(studio.inputs.filter((input) => input.id !== id));
    },
    'inputs-set': ({ ids }) => this.#ports.actions.setInputs(ids),
    'inputs-clear': () => this.#ports.studio.setInputs([]),
    'unsent-restore': () => {
      const { studio, services } = this.#ports;
      const model =
        studio.inputs.length > 0 ? studio.getEditFormModel() : studio.getCreateFormModel();
      if (model !== undefined) services.choice.restoreOmittedOptions(model.id);
      this.postCheck();
    },
  };

  /** Resets the sequence number of the last form change. A reloaded page counts its changes from the start. */
  resetSequenceNumber(): void {
    this.#seq = 0;
  }

  /** Checks the active form: the edit form if there are input images, otherwise the create form. */
  checkActiveForm(seq = 0): StudioCheckState {
    return this.#checkForm(this.#ports.studio.inputs.length > 0 ? 'edit' : 'create', seq);
  }

  postCheck(): void {
    this.#ports.post({ type: 'check-change', check: this.checkActiveForm(this.#seq) });
  }

  #onFormChange(seq: number): void {
    this.#ports.studio.hasCurrentDrafts = true;
    this.#seq = seq;
    this.postCheck();
  }

  #hasFormErrors(mode: 'create' | 'edit'): boolean {
    return this.#checkForm(mode, 0).problems.some(({ severity }) => severity === 'error');
  }

  #checkForm(mode: 'create' | 'edit', seq: number): StudioCheckState {
    const { studio, host } = this.#ports;
    const { status } = host.account.view;
    const accountProblem =
      status === 'signed-out' ? vscode.l10n.t('Inference Service needs an API key.') : undefined;
    return mode === 'create'
      ? checkCreateForm({
          draft: studio.createFormDraft,
          model: studio.getCreateFormModel(),
          seq,
          accountProblem,
        })
      : checkEditForm({
          draft: studio.editFormDraft,
          model: studio.getEditFormModel(),
          seq,
          accountProblem,
          inputs: studio.inputs,
        });
  }
}

type StudioProblem = StudioCheck['problems'][number];

interface CheckInput<Draft, Model> {
  readonly draft: Draft;
  /** Selected model. Undefined if no model is selected, or if the selected model is no longer in the model list. */
  readonly model: Model | undefined;
  readonly seq: number;
  /** Reason why the account cannot be used for calls, as a message for the user. Undefined if it can be used. */
  readonly accountProblem: string | undefined;
}

/** Returns the price and the problems of the create form. */
export function checkCreateForm({
  draft,
  model,
  seq,
  accountProblem,
}: CheckInput<CreateDraft, ImageModel>): StudioCheck {
  const options = toImageOptions(draft);
  const price = model === undefined ? undefined : estimateImagePrice(model, options);
  const imageCost =
    model === undefined ? undefined : estimateImagePrice(model, { ...options, variants: 1 });
  const size = model === undefined ? { width: 1, height: 1 } : resolveImageSize(model, options);
  return {
    mode: 'create',
    seq,
    priceText: formatShortPrice(price),
    priceDetail:
      draft.variants === 1 || imageCost === undefined
        ? ''
        : vscode.l10n.t('{0} images at {1} each', draft.variants, formatShortPrice(imageCost)),
    note: model === undefined ? '' : formatUnsentOptions(listUnsentOptions(model, options)),
    canRestore: (model?.omittedFields ?? []).length > 0,
    problems: [
      ...createAccountProblems(accountProblem),
      ...(model === undefined
        ? [createNoModelProblem()]
        : findOptionProblems(model, draft.prompt, options).map(toStudioProblem)),
    ],
    ...size,
  };
}

export function checkEditForm({
  draft,
  model,
  seq,
  accountProblem,
  inputs,
}: CheckInput<EditDraft, EditModel> & { readonly inputs: readonly StudioInput[] }): StudioCheck {
  const imageCount = Math.max(1, inputs.length);
  const options = { ...toEditOptions(draft), imageCount };
  const request = model && buildEditRequest(model, draft.prompt, options);
  const price = model && request && estimateEditPrice(model, { ...request, imageCount });
  const [firstInput] = inputs;
  return {
    mode: 'edit',
    seq,
    priceText: formatShortPrice(price),
    priceDetail: '',
    note: model === undefined ? '' : formatUnsentOptions(listUnsentEditOptions(model, options)),
    canRestore: (model?.omittedFields ?? []).length > 0,
    problems: [
      ...createAccountProblems(accountProblem),
      ...(model === undefined
        ? [createNoModelProblem()]
        : listEditProblems(draft, model, inputs.length)),
    ],
    width: firstInput?.width ?? 1,
    height: firstInput?.height ?? 1,
  };
}

function listEditProblems(draft: EditDraft, model: EditModel, inputCount: number): StudioProblem[] {
  const { maxPromptChars: limit, maxImages } = model;
  const { length } = draft.prompt;
  return [
    ...(inputCount === 0
      ? [createErrorProblem('inputs', vscode.l10n.t('Choose an image first.'))]
      : []),
    ...(inputCount > maxImages
      ? [
          createErrorProblem(
            'inputs',
            vscode.l10n.t('Too many images for {0}: at most {1}.', model.name, maxImages),
          ),
        ]
      : []),
    ...(draft.prompt.trim() === ''
      ? [createErrorProblem('prompt', vscode.l10n.t('What should change?'))]
      : []),
    ...(length > limit ? [createErrorProblem('prompt', formatTooLongMessage(length, limit))] : []),
    ...[
      ...findChoiceProblems('aspectRatio', draft.aspectRatio ?? undefined, model.ratios),
      ...findChoiceProblems('resolution', draft.resolution ?? undefined, model.resolutions),
      ...findChoiceProblems('quality', draft.quality ?? undefined, model.qualities),
    ].map(toStudioProblem),
  ];
}

/**
 * Converts a problem with an option to a problem with a form field. Only problems with a prompt become errors. All
 * other problems become warnings, because the extension replaces or omits the invalid value when it builds the request.
 */
function toStudioProblem(problem: OptionProblem): StudioProblem {
  switch (problem.code) {
    case 'empty':
      return createErrorProblem('prompt', vscode.l10n.t('Describe the image'));
    case 'too-long':
      return createErrorProblem(problem.field, formatTooLongMessage(problem.length, problem.limit));

    case 'not-multiple':
      return createWarningProblem(
        'size',
        vscode.l10n.t(
          'The model does not offer this value. The nearest one, or its default, is used.',
        ),
      );
    case 'out-of-range':
    case 'not-whole':
      return createWarningProblem(
        toStudioField(problem.field),
        vscode.l10n.t(
          'The model does not offer this value. The nearest one, or its default, is used.',
        ),
      );
    case 'not-offered':
      return createWarningProblem(
        problem.field,
        vscode.l10n.t(
          'The model does not offer this value. The nearest one, or its default, is used.',
        ),
      );
  }
}

const toStudioField = (field: 'width' | 'height' | 'steps' | 'cfgScale' | 'seed'): StudioField =>
  field === 'width' || field === 'height' ? 'size' : field;

const createNoModelProblem = (): StudioProblem =>
  createErrorProblem('model', vscode.l10n.t('Choose a model'));

const createAccountProblems = (accountProblem: string | undefined): StudioProblem[] =>
  accountProblem === undefined ? [] : [createErrorProblem('account', accountProblem)];

const formatTooLongMessage = (length: number, limit: number): string =>
  vscode.l10n.t('{0} of {1} characters', length, limit);

const createErrorProblem = (field: StudioField, text: string): StudioProblem => ({
  field,
  severity: 'error',
  text,
});

const createWarningProblem = (field: StudioField, text: string): StudioProblem => ({
  field,
  severity: 'warning',
  text,
});
