import { html, nothing, render, type TemplateResult } from 'lit';
import type { Clock } from '../../../src/base/clock.ts';
import { type Handlers, dispatchMessage, hasHandler } from '../../../src/base/handlers.ts';
import type { StudioHostMessage } from '../../../src/image/studio/protocol/messages.ts';
import { Announcer, renderIcon } from '../../base/controls.ts';
import { Drafts } from '../drafts.ts';
import { labels } from '../labels.ts';
import {
  type SavedImage,
  type SavedStudio,
  type ScrollArea,
  scrollAreas,
  type StudioSection,
} from '../saved.ts';
import type { ActionMessage, State, StudioPost } from '../store.ts';
import { FormColumn } from './form-column.ts';
import { Gallery } from './gallery.ts';
import { LargeView } from './image-view.ts';
import { JobList } from './job-list.ts';

interface ScrollContext {
  readonly savedState: SavedStudio;
  readonly clock: Clock;
  readonly areas: Readonly<Record<ScrollArea, HTMLElement>>;
}

const saveDelayMs = 150;

/** Persists scroll positions, and restores them after a reload of the page. */
export class SavedScroll {
  readonly #context: ScrollContext;
  /**
   * Scroll positions in pixels that are not restored yet, because the content of the area may still be loading. While
   * an area has an entry here, its current scroll position is not persisted.
   */
  readonly #pendingOffsets = new Map<ScrollArea, number>();
  #cancelSave: (() => void) | undefined;

  constructor(context: ScrollContext) {
    this.#context = context;
    const { areas, savedState, clock } = context;
    const resizeObserver = new ResizeObserver(() => this.restorePositions());
    for (const name of scrollAreas) {
      const scrollTop = savedState.state.scroll[name];
      if (scrollTop > 0) this.#pendingOffsets.set(name, scrollTop);
      const area = areas[name];
      const scheduleSave = (): void => {
        this.#cancelSave ??= clock.after(saveDelayMs, () => this.savePositions());
      };
      area.addEventListener('scroll', scheduleSave, { passive: true });
      for (const type of ['wheel', 'pointerdown', 'keydown']) {
        area.addEventListener(type, () => this.#pendingOffsets.delete(name), { passive: true });
      }
      resizeObserver.observe(area);
    }
  }

  /** Restores scroll positions as far as the loaded content allows. Skips areas that the user has scrolled. */
  restorePositions(): void {
    for (const [name, scrollTop] of this.#pendingOffsets) {
      const area = this.#context.areas[name];
      area.scrollTop = scrollTop;
      if (Math.abs(area.scrollTop - scrollTop) <= 1) this.#pendingOffsets.delete(name);
    }
  }

  /** Scrolls to an element. Discards the saved positions that were not restored. */
  scrollToElement(element: HTMLElement): void {
    this.#pendingOffsets.clear();
    element.scrollIntoView();
  }

  savePositions(): void {
    this.#cancelSave?.();
    this.#cancelSave = undefined;
    const { savedState, areas } = this.#context;
    const scroll = { ...savedState.state.scroll };
    for (const name of scrollAreas) {
      // Hidden areas always report position 0.
      const isShown = areas[name].clientHeight > 0;
      if (isShown && !this.#pendingOffsets.has(name))
        scroll[name] = Math.round(areas[name].scrollTop);
    }
    savedState.save({ scroll });
  }
}

const sectionLabels: Readonly<Record<StudioSection, string>> = {
  create: labels.create,
  gallery: labels.gallery,
};
const sections = Object.keys(sectionLabels) as StudioSection[];

/** Renders the tabs of the two sections. Arrow keys move between the tabs. */
export const renderSectionTabs = (
  visibleSection: StudioSection,
  showSection: (section: StudioSection, focus: 'tab' | 'content') => void,
): TemplateResult =>
  html`<div
    class="tabs"
    role="tablist"
    aria-label=${labels.sections}
    @keydown=${(event: KeyboardEvent) => {
      if (!['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key)) return;
      event.preventDefault();
      showSection(visibleSection === 'create' ? 'gallery' : 'create', 'tab');
    }}
  >
    ${sections.map(
      (section) =>
        html`<button
          type="button"
          role="tab"
          id="tab-${section}"
          class="tab"
          aria-selected=${section === visibleSection ? 'true' : 'false'}
          aria-controls="panel-${section}"
          tabindex=${section === visibleSection ? 0 : -1}
          @click=${() => showSection(section, 'tab')}
        >
          ${sectionLabels[section]}
        </button>`,
    )}
  </div>`;

interface AppContext {
  readonly root: HTMLElement;
  readonly post: StudioPost;
  readonly savedState: SavedStudio;
  readonly clock: Clock;
  /** Returns a random seed that the service accepts. */
  readonly createRandomSeed: () => number;
}

const noticeDurationMs = 6_000;

/** Root of the studio page. Creates the views and passes them the state. */
export class StudioApp {
  readonly #context: AppContext;
  readonly #announcer = new Announcer();
  readonly #drafts: Drafts;
  readonly #form: FormColumn;
  readonly #jobs: JobList;
  readonly #gallery: Gallery;
  readonly #largeView: LargeView;
  readonly #scroll: SavedScroll;
  readonly #tabBar = createContainer('tabs-space');
  readonly #createPanel = createContainer('create-panel');
  readonly #galleryPanel = createContainer('gallery-panel');
  readonly #noticeElement = createContainer('notice-space');
  #section: StudioSection;
  #state: State | undefined;
  /** Image to open again after a reload of the page, when the gallery is loaded. */
  #imageToReopen: SavedImage | undefined;
  #cancelNoticeTimer: () => void = () => {};

  constructor(context: AppContext) {
    this.#context = context;
    const { post, clock, savedState, root, createRandomSeed } = context;
    const announce = (text: string): void => this.#announcer.announce(text);
    const openImage = (id: string, imageIds: readonly string[]): void =>
      this.#openAndFocusImage(id, imageIds);
    this.#section = savedState.state.section;
    this.#imageToReopen = savedState.state.picture;
    this.#drafts = new Drafts({ post, savedState, clock, onChange: () => this.#onDraftChange() });
    this.#form = new FormColumn({ post, drafts: this.#drafts, createRandomSeed, announce });
    this.#jobs = new JobList({ post, clock, announce, openImage });
    this.#gallery = new Gallery({ post, clock, savedState, openImage });
    this.#largeView = new LargeView({
      post,
      showNotice: (text) => this.#showNotice(text),
      onShow: (image) => savedState.saveImage(image),
      onClose: (id) => this.#onClose(id),
      showForm: () => this.#showSectionContent('create', 'content'),
    });
    setPanelRole(this.#createPanel, 'create');
    setPanelRole(this.#galleryPanel, 'gallery');
    root.role = 'main';
    root.ariaLabel = labels.studio;
    this.#createPanel.append(this.#form.element, this.#jobs.element);
    this.#galleryPanel.append(this.#gallery.element);
    root.append(
      this.#tabBar,
      this.#createPanel,
      this.#galleryPanel,
      this.#noticeElement,
      this.#announcer.element,
    );
    this.#scroll = new SavedScroll({
      savedState,
      clock,
      areas: {
        page: this.#createPanel,
        results: this.#jobs.element,
        gallery: this.#gallery.scrollElement,
      },
    });
    window.addEventListener('pagehide', () => {
      this.#drafts.sendPendingDraft();
      this.#scroll.savePositions();
    });
  }

  renderState(state: State): void {
    const { studio } = state;
    if (studio === null) return;
    const isFirstRender = this.#state === undefined;
    const hadInputs = (this.#state?.studio?.inputs.length ?? 0) > 0;
    this.#state = state;
    this.#drafts.applyStudio(studio);
    this.#form.update(studio);
    const startedJob = this.#jobs.update(state);
    this.#largeView.update(state);
    this.#gallery.update(state);
    this.#renderSection();
    if (isFirstRender && this.#section === 'gallery') this.#gallery.requestImagesOnce();
    // After choosing an image, the user next enters the instruction, so show the form.
    if (
      !isFirstRender &&
      !hadInputs &&
      studio.inputs.length > 0 &&
      !this.#drafts.areInputsRestored
    ) {
      this.#showSectionContent('create', 'content');
      this.#form.selectInstruction();
    }
    this.#reopenImage();
    if (startedJob === undefined || this.#largeView.visibleId !== undefined)
      this.#scroll.restorePositions();
    else this.#scroll.scrollToElement(startedJob);
  }

  /** Handles a message that does not change the view state, such as a notice. Ignores all other messages. */
  performAction(message: StudioHostMessage): void {
    if (hasHandler(this.#actions, message)) dispatchMessage(this.#actions, message);
  }

  readonly #actions: Handlers<
    ActionMessage | Extract<StudioHostMessage, { type: 'create-set' }>,
    [],
    void
  > = {
    'notice-show': ({ text }) => this.#showNotice(text),
    'image-show': ({ id }) => this.#showImage(id),
    'section-show': (message) => this.#showSection(message),
    'create-set': () => this.#showSectionContent('create', 'content'),
  };

  #onDraftChange(): void {
    // An image that loads late must not cover the form while the user types.
    this.#imageToReopen = undefined;
    const studio = this.#state?.studio;
    if (studio != null) this.#form.update(studio);
  }

  /** Shows a section of the page. If the section is already visible, the large view stays open. */
  #showSection({ section, focus }: Extract<StudioHostMessage, { type: 'section-show' }>): void {
    if (section !== this.#section)
      return this.#showSectionContent(section, focus ? 'content' : 'none');
    if (!focus || !document.hasFocus()) return;
    if (this.#largeView.visibleId === undefined) this.#focusContent();
    else this.#largeView.focus();
  }

  #showSectionContent(section: StudioSection, focusTarget: 'tab' | 'content' | 'none'): void {
    this.#imageToReopen = undefined;
    if (section !== this.#section) this.#largeView.close();
    else if (focusTarget === 'content' && section === 'create') this.#largeView.close();
    this.#section = section;
    this.#context.savedState.save({ section });
    this.#renderSection();
    if (section === 'gallery') this.#gallery.requestImagesOnce();
    if (focusTarget === 'tab')
      this.#tabBar.querySelector<HTMLElement>('[aria-selected=true]')?.focus();
    else if (focusTarget === 'content' && document.hasFocus()) this.#focusContent();
  }

  #focusContent(): void {
    if (this.#section === 'create') this.#form.focus();
    else this.#gallery.focusSearch();
  }

  #showImage(id: string): void {
    const images = this.#state?.images;
    if (images?.has(id) !== true) return;
    const job = this.#state?.studio?.jobs.find((job) => job.images.includes(id));
    this.#openAndFocusImage(id, job?.images.filter((image) => image !== null) ?? [id]);
  }

  /** Opens the image that was open before a reload of the page, as soon as the image is available. */
  #reopenImage(): void {
    const image = this.#imageToReopen;
    if (image === undefined || this.#state?.images.has(image.id) !== true) return;
    this.#openImage(image.id, image.among);
    // No element has the focus in a newly loaded page.
    if (document.hasFocus() && document.activeElement === document.body) this.#largeView.focus();
  }

  /** Opens an image in the large view and focuses the large view. */
  #openAndFocusImage(id: string, imageIds: readonly string[]): void {
    this.#openImage(id, imageIds);
    this.#largeView.focus();
  }

  #openImage(id: string, imageIds: readonly string[]): void {
    this.#imageToReopen = undefined;
    const sectionElement = this.#section === 'create' ? this.#createPanel : this.#galleryPanel;
    sectionElement.append(this.#largeView.element);
    this.#setListsCovered(true);
    this.#largeView.open(id, imageIds);
  }

  #onClose(id: string): void {
    this.#setListsCovered(false);
    if (!document.hasFocus()) return;
    if (this.#section === 'create') this.#jobs.focus(id);
    else this.#gallery.focus(id);
  }

  /**
   * Records whether the large view covers the lists of jobs and images. The lists keep their scroll positions while
   * they are covered.
   */
  #setListsCovered(isCovered: boolean): void {
    this.#jobs.element.classList.toggle('covered', isCovered);
    this.#gallery.element.classList.toggle('covered', isCovered);
  }

  #renderSection(): void {
    this.#createPanel.hidden = this.#section !== 'create';
    this.#galleryPanel.hidden = this.#section !== 'gallery';
    render(
      renderSectionTabs(this.#section, (section, focus) =>
        this.#showSectionContent(section, focus),
      ),
      this.#tabBar,
    );
  }

  #showNotice(text: string): void {
    this.#announcer.announce(text);
    this.#setNotice(text);
    this.#cancelNoticeTimer();
    this.#cancelNoticeTimer = this.#context.clock.after(noticeDurationMs, () =>
      this.#setNotice(''),
    );
  }

  #setNotice(text: string): void {
    render(
      text === '' ? nothing : html`<p class="notice" dir="auto">${renderIcon('info')} ${text}</p>`,
      this.#noticeElement,
    );
  }
}

function createContainer(className: string): HTMLElement {
  const element = document.createElement('div');
  element.className = className;
  return element;
}

function setPanelRole(element: HTMLElement, section: StudioSection): void {
  element.role = 'tabpanel';
  element.id = `panel-${section}`;
  element.setAttribute('aria-labelledby', `tab-${section}`);
}
