/** Writes `docs/settings.md` from the manifest: `npm run settings-document`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.ts';
import { formatSettings } from '../settings-document.ts';

writeFileSync(join(root, 'docs', 'settings.md'), formatSettings());
