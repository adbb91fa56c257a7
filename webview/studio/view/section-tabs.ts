import { html, type TemplateResult } from 'lit';
import type { Section } from '../saved.ts';
import { words } from '../messages.ts';

const labels: Readonly<Record<Section, string>> = {
  create: words.create,
  gallery: words.gallery,
};
const sections = Object.keys(labels) as Section[];

/** The two halves of the studio; arrows go from one to the other. */
export const sectionTabs = (
  shown: Section,
  show: (section: Section, focus: 'tab' | 'content') => void,
): TemplateResult =>
  html`<div
    class="tabs"
    role="tablist"
    aria-label=${words.sections}
    @keydown=${(event: KeyboardEvent) => {
      if (!['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key)) return;
      event.preventDefault();
      show(shown === 'create' ? 'gallery' : 'create', 'tab');
    }}
  >
    ${sections.map(
      (section) =>
        html`<button
          type="button"
          role="tab"
          id="tab-${section}"
          class="tab"
          aria-selected=${section === shown ? 'true' : 'false'}
          aria-controls="panel-${section}"
          tabindex=${section === shown ? 0 : -1}
          @click=${() => show(section, 'tab')}
        >
          ${labels[section]}
        </button>`,
    )}
  </div>`;
