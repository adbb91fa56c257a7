import { noChange } from 'lit';
import { type ElementPart, directive, Directive, type PartInfo, PartType } from 'lit/directive.js';

/**
 * Directive that sets CSS variables on an element. The page's content security policy forbids `style` attributes, so
 * templates set sizes and positions through variables.
 */
export const cssVariables = directive(
  class extends Directive {
    #appliedVariables: Readonly<Record<string, string>> = {};

    constructor(part: PartInfo) {
      super(part);
      if (part.type !== PartType.ELEMENT) throw new Error('Belongs on an element');
    }

    override update({ element }: ElementPart, [values]: [Readonly<Record<string, string>>]) {
      for (const [name, value] of Object.entries(values)) {
        if (this.#appliedVariables[name] !== value)
          (element as HTMLElement).style.setProperty(name, value);
      }
      this.#appliedVariables = values;
      return noChange;
    }

    render(_values: Readonly<Record<string, string>>) {
      return noChange;
    }
  },
);
