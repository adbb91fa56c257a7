import { html, nothing, type TemplateResult } from 'lit';

interface TextButton {
  readonly label: string;
  readonly run: () => void;
  readonly primary?: boolean;
  /** Why it does nothing now; it can be reached all the same. */
  readonly disabled?: string;
}

interface IconButton {
  /** A codicon's name. */
  readonly icon: string;
  /** Accessible name and tooltip. */
  readonly label: string;
  readonly run: () => void;
  readonly disabled?: boolean;
  /** Of a button that turns something on and off. */
  readonly pressed?: boolean;
  readonly tabIndex?: number;
  readonly className?: string;
}

/**
 * Registers the toolkit's elements. Until then a button of it is plain text of the same size.
 * The toolkit gives buttons with words and text fields. Icon buttons are native, since a transcript has thousands and
 * each toolkit element costs a shadow root; so is the composer, which must grow with its text and take text before this loads.
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

/** A codicon. It says nothing to a screen reader: the words are beside it or on its button. */
export const icon = (name: string): TemplateResult =>
  html`<span class="codicon codicon-${name}" aria-hidden="true"></span>`;

/** What a key would write in a text field; empty when it would write nothing, as with a shortcut. */
export function typedText(event: KeyboardEvent): string {
  const { key, altKey, ctrlKey, metaKey } = event;
  // AltGr is Ctrl and Alt on Windows.
  const isShortcut = (altKey || ctrlKey) && !event.getModifierState('AltGraph');
  return isShortcut || metaKey || !/^.$/u.test(key) ? '' : key;
}

/** Space and Enter press the button that has the focus. */
export const isPress = ({ key }: KeyboardEvent): boolean => key === ' ' || key === 'Enter';

/** Enter without Shift, and not the Enter that ends a composition of an input method. */
export const isSubmit = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229;

const maxSentence = 150;

/** Speaks to screen readers without a place on the screen. Short things only, and not per token. */
export class Announcer {
  readonly element = document.createElement('div');

  constructor() {
    this.element.className = 'visually-hidden';
    this.element.setAttribute('role', 'status');
  }

  say(text: string): void {
    // A new node, so that the same words twice are said twice.
    const line = document.createElement('p');
    line.textContent = text;
    this.element.replaceChildren(line);
  }
}

/** The first sentence of `text`, at most 150 characters of it. */
export function firstSentence(text: string): string {
  const start = text.trimStart().slice(0, 2 * maxSentence);
  const [first] = new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(start);
  const sentence = first?.segment.trim() ?? '';
  return sentence.length <= maxSentence ? sentence : `${sentence.slice(0, maxSentence - 1)}…`;
}
