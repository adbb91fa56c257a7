import * as vscode from 'vscode';
import type { Handlers } from '../../../base/handlers.ts';
import { getNewerVersionMessage } from '../../../platform/notifications.ts';
import { getSetting, setChoice } from '../../../platform/settings.ts';
import { findUpscalePrice } from '../../image-price.ts';
import type { ImageRecord } from '../../image-record.ts';
import { galleryMegabytes } from '../../vscode/gallery.ts';
import { imagesPerMessage } from '../protocol/messages.ts';
import type { GalleryView } from '../protocol/gallery.ts';
import type { MessageOf, StudioPorts } from './studio-forms.ts';
import { createFailureCard, createImageDetails, formatShortPrice } from './studio-view.ts';

type GalleryMessage = MessageOf<
  | 'image-select'
  | 'image-act'
  | 'images-delete'
  | 'gallery-clear'
  | 'gallery-resize'
  | 'gallery-request'
  | 'thumbnail-made'
>;

/** Handles the gallery messages of a studio page. Lists images, sends the details of an image and runs actions. */
export class StudioGallery {
  readonly #ports: StudioPorts;
  #status: GalleryView['status'] = 'unasked';
  #selectedId: string | undefined;

  constructor(ports: StudioPorts) {
    this.#ports = ports;
  }

  readonly handlers: Handlers<GalleryMessage, [], unknown> = {
    'image-select': ({ id }) => {
      this.#selectedId = id ?? undefined;
      return this.postDetails();
    },
    'image-act': async ({ id, action }) => {
      const { services, actions, showNotice } = this.#ports;
      const record = await services.gallery.find(id);
      if (record === undefined) return;
      if (action === 'use-settings') return this.#useSettings(record);
      const message = await actions.runAction(record, action);
      if (message !== undefined) showNotice(message);
    },
    'images-delete': ({ ids }) => this.#ports.actions.removeImages(ids),
    'gallery-clear': async () => {
      const { services, actions } = this.#ports;
      return actions.removeImages((await services.gallery.list()).map(({ id }) => id));
    },
    'gallery-resize': async () => {
      await chooseGallerySize();
      await this.postView();
    },
    'gallery-request': () => this.load(),
    'thumbnail-made': ({ id, bytes }) => this.#ports.images.storeThumbnail(id, bytes),
  };

  /** True if the page has requested the gallery. */
  get isRequested(): boolean {
    return this.#status !== 'unasked';
  }

  async createView(): Promise<GalleryView> {
    return this.#createView(await this.#ports.services.gallery.list().catch(() => []));
  }

  async postView(): Promise<void> {
    this.#ports.post({ type: 'gallery-change', gallery: await this.createView() });
  }

  async load(): Promise<void> {
    const { services, savedFiles, host, post } = this.#ports;
    this.#status = 'loading';
    post({ type: 'gallery-change', gallery: this.#createView([]) });
    try {
      await services.gallery.list();
      await savedFiles.recheckAllFiles();
      await this.postImages();
      this.#status = 'ready';
    } catch (error) {
      host.log.error('Could not read the gallery', error);
      this.#status = 'failed';
    }
    await this.postView();
  }

  async postImages(): Promise<void> {
    const { services, images, post } = this.#ports;
    const records = await services.gallery.list();
    for (let start = 0; start < records.length; start += imagesPerMessage) {
      const views = records
        .slice(start, start + imagesPerMessage)
        .map((record) => images.createView(record));
      post({ type: 'images-put', images: views });
    }
  }

  /** Sends the details of the selected image to the page. */
  async postDetails(): Promise<void> {
    const { services, host, savedFiles, actions, studio, images, post } = this.#ports;
    const record =
      this.#selectedId === undefined ? undefined : await services.gallery.find(this.#selectedId);
    if (record === undefined || record.id !== this.#selectedId) return;
    post({
      type: 'image-details',
      details: createImageDetails(record, {
        formatRerunPrice: (seed) => formatShortPrice(studio.estimateRerunPrice(record, seed)),
        formatUpscalePrice: (scale) =>
          formatShortPrice(findUpscalePrice(host.models.models, scale)),
        insertProblem: actions.insertProblem,
        isSaved: savedFiles.findSavedUri(record) !== undefined,
        source: await images.findSource(record),
      }),
    });
  }

  #useSettings(record: ImageRecord): void {
    const draft = this.#ports.studio.useSettings(record);
    if (draft !== undefined) this.#ports.post({ type: 'create-set', draft });
  }

  #createView(records: readonly ImageRecord[]): GalleryView {
    return {
      status: this.#status,
      failure: this.#getFailure(),
      count: records.length,
      bytes: records.reduce((sum, { bytes }) => sum + bytes, 0),
      capBytes: this.#ports.services.gallery.capBytes,
    };
  }

  #getFailure(): GalleryView['failure'] {
    if (this.#status === 'failed') return createUnreadableFailure();
    const isNewer = this.#status === 'ready' && this.#ports.services.gallery.hasNewerJournal;
    return isNewer ? createNewerVersionFailure() : null;
  }
}

const createNewerVersionFailure = (): NonNullable<GalleryView['failure']> =>
  createFailureCard({ code: 'newer-version', message: getNewerVersionMessage(), actions: [] });

const createUnreadableFailure = (): NonNullable<GalleryView['failure']> =>
  createFailureCard({
    code: 'disk',
    message: vscode.l10n.t('The gallery cannot be read from the disk.'),
    actions: ['retry', 'show-log'],
  });

/** Prompts for the size limit of the gallery, which applies to the galleries of all workspaces. */
async function chooseGallerySize(): Promise<void> {
  const name = 'inferenceService.image.gallerySize';
  const { min, max } = galleryMegabytes;
  const isAllowed = (text: string): boolean => Number(text) >= min && Number(text) <= max;
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Gallery size'),
    prompt: vscode.l10n.t('Megabytes for each workspace. The oldest images are deleted first.'),
    value: String(getSetting(name)),
    validateInput: (value) =>
      isAllowed(value)
        ? undefined
        : vscode.l10n.t('This must be a number from {0} to {1}.', min, max),
  });
  if (text !== undefined && isAllowed(text)) await setChoice(name, Number(text));
}
