import { html, nothing, type TemplateResult } from 'lit';

interface TextButton {
  readonly label: string;
  readonly run: () => void;
  readonly primary?: boolean;
  /** Reason why the button is disabled, shown as its tooltip. The button stays focusable. */
  readonly disabled?: string;
}

interface IconButton {
  /** Name of a codicon. */
  readonly icon: string;
  /** Accessible name and tooltip. */
  readonly label: string;
  readonly run: () => void;
  readonly disabled?: boolean;
  /** State of a toggle button. */
  readonly pressed?: boolean;
  readonly tabIndex?: number;
  readonly className?: string;
}

/**
 * Registers the toolkit's elements. Until then its buttons are plain text of the same size. The toolkit provides text
 * buttons and text fields. Icon buttons are native, because a transcript has thousands and each toolkit element costs a
 * shadow root. The composer is native too, because it grows with its text and accepts text before the toolkit is
 * loaded.
 */
export async function loadControls(): Promise<void> {
  const { register } = await import('./toolkit.ts');
  register();
}

export const textButton = ({
  label,
  run,
  primary = false,
  disabled = '',
}: TextButton): TemplateResult =>
  html`<vscode-button
    appearance=${primary ? 'primary' : 'secondary'}
    aria-disabled=${disabled === '' ? nothing : 'true'}
    title=${disabled || nothing}
    @click=${() => disabled === '' && run()}
    >${label}</vscode-button
  >`;

export const iconButton = (button: IconButton): TemplateResult =>
  html`<button
    type="button"
    class="icon-button ${button.className ?? ''}"
    aria-label=${button.label}
    title=${button.label}
    aria-pressed=${button.pressed ?? nothing}
    tabindex=${button.tabIndex ?? nothing}
    ?disabled=${button.disabled ?? false}
    @click=${button.run}
  >
    ${icon(button.icon)}
  </button>`;

/** Returns a codicon, hidden from screen readers. The text beside it or the label of its button describes it. */
export const icon = (name: string): TemplateResult =>
  html`<span class="codicon codicon-${name}" aria-hidden="true"></span>`;

/** Returns the character that a key writes in a text field. Empty for shortcuts and control keys. */
export function typedText(event: KeyboardEvent): string {
  const { key, altKey, ctrlKey, metaKey } = event;
  // AltGr is Ctrl and Alt on Windows.
  const isShortcut = (altKey || ctrlKey) && !event.getModifierState('AltGraph');
  return isShortcut || metaKey || !/^.$/u.test(key) ? '' : key;
}

/** Checks whether the key presses the focused button. */
export const isPress = ({ key }: KeyboardEvent): boolean => key === ' ' || key === 'Enter';

/** Checks for Enter without Shift. Ignores the Enter that ends an input method composition. */
export const isSubmit = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229;

const maxSentenceLength = 150;

/** Announces short texts to screen readers, invisibly. Not for single tokens. */
export class Announcer {
  readonly element = document.createElement('div');

  constructor() {
    this.element.className = 'visually-hidden';
    this.element.setAttribute('role', 'status');
  }

  announce(text: string): void {
    // A new node, so that a repeated text is announced again.
    const line = document.createElement('p');
    line.textContent = text;
    this.element.replaceChildren(line);
  }
}

/** Returns the first sentence of the text, cut to 150 characters. */
export function firstSentence(text: string): string {
  const beginning = text.trimStart().slice(0, 2 * maxSentenceLength);
  const [firstSegment] = new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(
    beginning,
  );
  const sentence = firstSegment?.segment.trim() ?? '';
  return sentence.length <= maxSentenceLength
    ? sentence
    : `${sentence.slice(0, maxSentenceLength - 1)}…`;
}
