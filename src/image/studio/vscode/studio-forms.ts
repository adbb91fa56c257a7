import * as vscode from 'vscode';
import type { Handlers } from '../../../base/handlers.ts';
import type { Host } from '../../../host.ts';
import type { ImageServices } from '../../vscode/image-services.ts';
import type { SavedFiles } from '../../vscode/save-image.ts';
import type { StudioHostMessage, StudioPageMessage, StudioState } from '../protocol/messages.ts';
import type { ImageActions } from './image-actions.ts';
import type { Studio } from './studio.ts';
import { checkCreate, checkEdit } from './studio-check.ts';
import type { StudioImages } from './studio-view.ts';

/** Dependencies of a studio page's forms, gallery and jobs. */
export interface StudioPorts {
  readonly host: Host;
  readonly parts: ImageServices;
  readonly studio: Studio;
  readonly saved: SavedFiles;
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

type Check = NonNullable<StudioState['check']>;

/** Handles the form messages of a studio page: stores drafts, checks them, changes the input images and starts jobs. */
export class StudioForms {
  readonly #ports: StudioPorts;
  /** `seq` of the last form change that the page sent. */
  #seq = 0;

  constructor(ports: StudioPorts) {
    this.#ports = ports;
  }

  readonly handlers: Handlers<FormMessage, [], unknown> = {
    'create-change': ({ draft, seq }) => {
      this.#ports.studio.create = draft;
      this.#onFormChange(seq);
    },
    'edit-change': ({ draft, seq }) => {
      this.#ports.studio.edit = draft;
      this.#onFormChange(seq);
    },
    'create-run': ({ draft }) => {
      const { studio } = this.#ports;
      studio.create = draft;
      return this.#isRefused('create') ? this.postCheck() : studio.runCreate(draft);
    },
    'edit-run': ({ draft }) => {
      const { studio } = this.#ports;
      studio.edit = draft;
      return this.#isRefused('edit') ? this.postCheck() : studio.runEdit(draft);
    },
    'input-pick': async () => {
      const message = await this.#ports.actions.pickInputs();
      if (message !== undefined) this.#ports.showNotice(message);
    },
    'input-remove': ({ id }) => {
      const { studio } = this.#ports;
      studio.setInputs(studio.inputs.filter((input) => input.id !== id));
    },
    'inputs-set': ({ ids }) => this.#ports.actions.setInputs(ids),
    'inputs-clear': () => this.#ports.studio.setInputs([]),
    'unsent-restore': () => {
      const { studio, parts } = this.#ports;
      const model = studio.inputs.length > 0 ? studio.editModel() : studio.createModel();
      if (model !== undefined) parts.choice.restoreOmitted(model.id);
      this.postCheck();
    },
  };

  /** Resets the change counter after the page was reloaded. */
  restart(): void {
    this.#seq = 0;
  }

  /** Checks the visible form: the edit form if there are input images, else the create form. */
  check(seq = 0): Check {
    return this.#check(this.#ports.studio.inputs.length > 0 ? 'edit' : 'create', seq);
  }

  postCheck(): void {
    this.#ports.post({ type: 'check-change', check: this.check(this.#seq) });
  }

  #onFormChange(seq: number): void {
    this.#ports.studio.draftsAreCurrent = true;
    this.#seq = seq;
    this.postCheck();
  }

  #isRefused(mode: 'create' | 'edit'): boolean {
    return this.#check(mode, 0).problems.some(({ severity }) => severity === 'error');
  }

  #check(mode: 'create' | 'edit', seq: number): Check {
    const { studio, host } = this.#ports;
    const { status } = host.account.view;
    const account =
      status === 'signed-out' ? vscode.l10n.t('Set an API key to make pictures.') : undefined;
    return mode === 'create'
      ? checkCreate({ draft: studio.create, model: studio.createModel(), seq, account })
      : checkEdit({
          draft: studio.edit,
          model: studio.editModel(),
          seq,
          account,
          inputs: studio.inputs,
        });
  }
}
