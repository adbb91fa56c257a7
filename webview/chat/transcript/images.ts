import * as l10n from '@vscode/l10n';
import type { Clock } from '../../../src/base/clock.ts';
import type { MessageView, GeneratedImagesView } from '../../../src/chat/protocol/view-state.ts';
import type { PostMessage } from '../store.ts';
import { addStyle, createCodicon, createElement } from '../../base/element.ts';

interface ImagesContext {
  readonly post: PostMessage;
  readonly clock: Clock;
  /** Returns the URL of a file in the folder of generated images. */
  readonly getImageUrl: (file: string) => string;
}

type GeneratedImage = GeneratedImagesView['images'][number];

/**
 * Generated images of an answer. Shows the elapsed time until the images arrive. Loaded with the first answer that has
 * generated images.
 */
export class GeneratedImages {
  readonly element = createElement('div', { class: 'generated-images' });
  readonly #context: ImagesContext;
  #renderedView: GeneratedImagesView | undefined;
  #stopTicking: () => void = () => {};

  constructor(context: ImagesContext) {
    this.#context = context;
    addStyle(imageStyles);
  }

  /**
   * Renders the generated images of the message.
   * @param isCurrent true if this message is the only message in the tab order
   */
  update({ id, status, failure, generatedImages }: MessageView, isCurrent: boolean): void {
    this.#stopTicking();
    if (generatedImages === null) return;
    if (generatedImages.images.length === 0) {
      const isGenerating = status === 'streaming' && failure === null;
      this.element.replaceChildren(
        ...(isGenerating ? [this.#createProgress(generatedImages)] : []),
      );
    } else if (generatedImages !== this.#renderedView) {
      // Render each image only once, so that other changes do not make it flicker.
      this.#renderedView = generatedImages;
      this.element.replaceChildren(
        ...generatedImages.images.map((image) => this.#createFigure(id, image)),
      );
    }
    for (const button of this.element.querySelectorAll<HTMLElement>('.generated-image-open')) {
      button.tabIndex = isCurrent ? 0 : -1;
    }
  }

  dispose(): void {
    this.#stopTicking();
  }

  #createProgress({ startedAt }: GeneratedImagesView): HTMLElement {
    const { clock } = this.#context;
    const timeElement = createElement('span', { class: 'generated-image-time' });
    const updateTime = (): void => {
      if (startedAt === null) return;
      const seconds = Math.floor((clock.now() - startedAt) / 1_000);
      timeElement.textContent = seconds < 1 ? '' : formatElapsed(seconds);
      this.#stopTicking = clock.after(1_000, updateTime);
    };
    updateTime();
    return createElement(
      'p',
      { class: 'note working' },
      createCodicon('loading'),
      l10n.t('Generating'),
      timeElement,
    );
  }

  #createFigure(messageId: string, image: GeneratedImage): HTMLElement {
    const { id: imageId, caption } = image;
    const { post } = this.#context;
    const createActionHandler = (action: 'save-file' | 'insert' | 'studio' | 'open') => () =>
      post({ type: 'image-act', messageId, imageId, action });
    const openButton = createElement('button', {
      type: 'button',
      class: 'generated-image-open',
      title: l10n.t('Open'),
    });
    openButton.addEventListener('click', createActionHandler('open'));
    const actionBar = createElement('div', { class: 'generated-image-actions', role: 'group' });
    actionBar.ariaLabel = l10n.t('Image');
    actionBar.append(
      createButton(l10n.t('Save'), createActionHandler('save-file')),
      createButton(l10n.t('Insert'), createActionHandler('insert')),
      createButton(l10n.t('Open Image Studio'), createActionHandler('studio')),
    );
    const figure = createElement(
      'figure',
      { class: 'generated-image' },
      openButton,
      createElement('figcaption', {}, caption),
      actionBar,
    );
    openButton.append(this.#createImage(image, figure));
    return figure;
  }

  #createImage({ file, alt, width, height }: GeneratedImage, figure: HTMLElement): HTMLElement {
    const imageElement = createElement('img', {
      alt,
      width: `${width}`,
      height: `${height}`,
      decoding: 'async',
      src: this.#context.getImageUrl(file),
    });
    imageElement.addEventListener('error', () => {
      const text = ` ${l10n.t('The image cannot be shown')}: ${alt}`;
      figure.replaceChildren(createElement('p', { class: 'note' }, createCodicon('warning'), text));
    });
    return imageElement;
  }
}

/** Creates a button of VS Code's webview toolkit. The button is plain text until the toolkit is loaded. */
function createButton(label: string, onClick: () => void): HTMLElement {
  const buttonElement = document.createElement('vscode-button');
  buttonElement.setAttribute('appearance', 'secondary');
  buttonElement.textContent = label;
  buttonElement.addEventListener('click', onClick);
  return buttonElement;
}

const formatElapsed = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : l10n.t('{0} min {1} s', Math.floor(seconds / 60), seconds % 60);

const imageStyles = `
.generated-image {
  margin: 4px 0;
  max-width: min(100%, 512px);
}
.generated-image-open {
  display: block;
  max-width: 100%;
  padding: 0;
  border-radius: var(--radius);
}
.generated-image-open img {
  display: block;
  max-width: 100%;
  max-height: 512px;
  width: auto;
  height: auto;
  border-radius: var(--radius);
  background: var(--vscode-editorWidget-background);
}
.generated-image figcaption {
  margin: 4px 0;
  color: var(--vscode-descriptionForeground);
  font-size: 0.92em;
}
.generated-image-actions {
  display: flex;
  flex-wrap: wrap;
  gap: 4px;
}
`;
