/**
 * Kind of a paragraph in a model's answer. `introduction`, `conclusion` and `refusal` (the model declines the task):
 * certainly a remark about the answer. `unclear`: possibly a remark. `none`: a part of the requested text.
 */
export type RemarkKind = 'introduction' | 'conclusion' | 'refusal' | 'unclear' | 'none';

const changeVerbSource =
  '(?:updated|changed|revised|modified|improved|edited|corrected|rewritten|rewrote|fixed|refactored|renamed|added|removed|replaced|simplified|cleaned|adjusted|reworked|converted|translated|applied|moved|made|kept|documented|shortened|clarified|tightened|polished|extracted|wrapped|introduced|switched|formatted|inserted|generated|completed|implemented|created|written|tweaked|extended|moved|expanded|requested|resulting|new|final|full|complete)';
const answerNounSource =
  '(?:code|version|text|lines?|snippet|section|paragraph|document|file|message|function|method|class|block|content|html|markup|markdown|latex|answer|result|output|solution|edit|change|changes|replacement|implementation|selection|query|script|docstring|comment|stylesheet|config(?:uration)?|json|yaml|sentence|passage|rewrite|revision|draft|table|list|one|wording)';
const interjectionPattern =
  /^(?:thanks|thank you|no worries|good call|good idea|sure enough|sure(?: thing)?|certainly|of course|absolutely|okay|ok|alright|all right|got it|understood|great|no problem|happy to help|done|yes|right|definitely|gladly|sounds good|perfect|my pleasure|with pleasure|great question|good question)(?:[!,.:;]|\s?[—–-]\s|\s*$)/iu;
const introductionPatterns: readonly RegExp[] = [
  interjectionPattern,
  /^here (?:you (?:go|are)|(?:it|they|we) (?:is|are|go))\b[^.]{0,40}[.!:]?$/iu,
  new RegExp(
    `^(?:(?:and|so|now|then)[, ]+)?(?:here(?:['’]s| is| are| you go| it is)|below (?:is|are|you)|below,|see below|the following (?:is|are)|please find|attached is|find below)\\b.*(?:\\b${changeVerbSource}\\b|\\b${answerNounSource}\\b|:$)`,
    'iu',
  ),
  new RegExp(
    `^the (?:\\w+ )?${changeVerbSource} (?:\\w+ ){0,2}${answerNounSource}\\b[^.]*:$`,
    'iu',
  ),
  new RegExp(`^(?:\\w+ )?${changeVerbSource} (?:\\w+ ){0,2}${answerNounSource}\\s*:$`, 'iu'),
  /^(?:suggested |proposed |generated )?(?:commit message|answer|output|result|solution|replacement)\s*:$/iu,
  new RegExp(`^(?:i['’]ve|i have|we['’]ve|i) (?:\\w+ )?${changeVerbSource}\\b`, 'iu'),
  /^(?:i['’]ll|i will|let me) (?!know\b)/iu,
  /^my (?:suggestion|proposal|version|answer|take)\b/iu,
];
const conclusionPatterns: readonly RegExp[] = [
  /^(?:this|the|these|those) (?:\w+ )?(?:versions?|changes?|updates?|refactor(?:ing)?|edits?|rewrite|revision|modifications?)\b(?! log)/iu,
  new RegExp(`^the (?:updated|revised|new|above|rewritten|modified) ${answerNounSource}\\b`, 'iu'),
  /^(?:(?:key|main|summary of(?: the)?) changes|changes made|explanation|what (?:i |has |was )?changed)\s*(?::|$)/iu,
  /^(?:let me know|feel free|hope (?:this|that)|i hope|if you(?:['’]d| want| need| would| prefer)|would you like|want me to|do you want|you can (?:now|also)|please (?:let|note|review)|remember to|make sure to|don['’]t forget to|note that i|as (?:you )?requested|as per your)/iu,
  /^i (?:can|could) (?:also )?\w+ .*\b(?:if you|for you)\b/iu,
  new RegExp(
    `^(?:i['’]ve|i have|we['’]ve|i) (?:(?:also|only|just|simply|left|did) )?(?:${changeVerbSource}|left|used|did|chose|assumed)\\b`,
    'iu',
  ),
];
const refusalPatterns: readonly RegExp[] = [
  /^(?:i['’]m sorry|i am sorry|sorry|i apologi[sz]e|my apologies|unfortunately|as an ai|i(?:['’]m| am) (?:unable|not (?:able|sure|comfortable|willing|allowed|going)|afraid)|i (?:can|could|do|did|would)(?:n['’]t|not| not)|i cannot|i need (?:more|to know|to see)|i (?:don['’]t|do not) (?:see|have|know|understand))\b/iu,
  /^(?:could|can|would) you (?:please |also )?(?:provide|share|clarify|tell|specify|explain|give|paste)\b/iu,
  /^(?:please (?:provide|share|specify|clarify|tell)|which (?:\w+ ){1,3}(?:do|should|would) you)\b/iu,
  /^(?:no (?:changes?|edits?|problems?|modifications?) (?:is|are|was|were)?\s*(?:needed|required|necessary|found|detected)|there(?:['’]s| is| are| were) (?:nothing|no (?:changes?|lines|code|selection|diff)))\b/iu,
  /^(?:the|this|your) (?:code|text|function|selection|lines?|file|document|snippet)\b.*\b(?:already|looks (?:good|fine|correct)|is (?:correct|fine|valid)|seems (?:fine|correct|to be))\b/iu,
  /^(?:it (?:looks|seems|appears) (?:like|as if|that)|without (?:more|seeing)|more (?:context|information|details) (?:is|are|would)|nothing to (?:do|change|fix)|(?:this|that|it) (?:cannot|can['’]t|can not) be|that (?:request|instruction) (?:is|was))\b/iu,
];
const answerHeadingPattern =
  /^(?:\*\*|#{1,6} )(?:result|output|answer|solution|updated|revised|after|before|response)\b[^.]{0,20}$/iu;
const remarkHeadingPattern = /^(?:notes?|summary|why|rationale|improvements|changes)\s*:/iu;
const selfReferencePattern =
  /\b(?:i|i['’](?:ve|m|ll|d)|me|you|your|you['’]d)\b.*\b(?:changed?|updated?|revised?|rewr(?:o|i)te|renamed|added|removed|requested|instruction|asked|shorten(?:ed)?|adjust(?:ed)?|prefer|want|need)\b|\bi['’]d (?:leave|keep|suggest|recommend|write|avoid)\b|\b(?:as requested|has been (?:updated|rewritten|revised|changed|renamed|removed|added|shortened)|(?:is|are|reads?) now|now (?:is|are|reads?|uses?|has|handles?|returns?|includes?|says?))\b/iu;

/**
 * Pattern of the first words of a model's remarks about its answer in languages other than English, such as `Hier ist`
 * or `Voici`.
 */
const foreignRemarkPattern = new RegExp(
  `^(?:${[
    // German, Dutch
    String.raw`hier (?:ist|sind|kommt|is|zijn)|gerne|natürlich|klar,|selbstverständlich|ich (?:habe|hab)\b|(?:die|diese|folgende) (?:änderung|anpassung|version|fassung)|falls du|falls sie|lass mich wissen|sag bescheid|ik heb\b`,
    // French
    String.raw`voici\b|bien sûr|d['’]accord|j['’]ai\b|(?:ces?|cette) (?:changements?|modifications?|version)|n['’]hésitez|j['’]espère|si vous (?:voulez|souhaitez)`,
    // Spanish, Portuguese, Italian
    String.raw`aquí (?:tienes?|está|va)|claro[,!]|por supuesto|he (?:cambiado|renombrado|actualizado|añadido|eliminado|hecho|modificado)\b|(?:este|estos) cambios?|si (?:quieres|necesitas|deseas)|avísame|aqui está|alterei|mudei|atualizei|certo[,!]|eu (?:alterei|mudei)|ecco\b|ho (?:cambiato|modificato|rinominato|aggiornato)\b`,
    // Russian
    String.raw`вот |конечно|я (?:изменил|переименовал|обновил|добавил)`,
    // Chinese, Japanese, Korean
    String.raw`(?:以下是|下面是|这是|好的|当然|我已|我将|我把|已将|已经|只修改|仅修改|如果您|如果你|如需)|(?:はい[、。]|以下[はがの]|更新[後し]|修正[後し]|変更[後点し])|(?:다음은|여기|물론)`,
  ].join('|')})`,
  'iu',
);
/** Checks whether a paragraph begins like a remark of a model in a language other than English. */
export const isForeignRemark = (paragraph: string): boolean =>
  foreignRemarkPattern.test(
    paragraph
      .slice(0, maxExaminedLength)
      .replaceAll(/[*_#>]+/gu, '')
      .trim(),
  );

const foreignRefusalPattern =
  /^(?:ich verstehe (?:die|das|nicht)|no entiendo|je ne comprends|non capisco|es tut mir leid|tut mir leid|entschuldigung|leider kann|ich kann (?:das|dabei|dir|ihnen|diese[nrs]?)? ?(?:leider )?nicht|désolée?|je (?:suis désolée?|ne peux|ne sais)|lo siento|no puedo|desculpe|não posso|mi dispiace|non posso|het spijt me|helaas|przepraszam|извините|к сожалению|я не могу|抱歉|对不起|很抱歉|我(?:无法|不能)|申し訳|すみません|ごめん|죄송)/iu;

/**
 * Checks whether a paragraph contains words with which models describe their answers. Ignores words in `vocabulary`,
 * the set of words in the document.
 */
export function hasRemarkWords(paragraph: string, vocabulary: ReadonlySet<string>): boolean {
  const text = paragraph.slice(0, maxExaminedLength).toLowerCase();
  return (
    /\b(?:p\.?s\.?:|as (?:requested|you asked)|let me know|tell me|say the word|suits? you|you (?:might|may) want)|🎉|✅/iu.test(
      text,
    ) ||
    new RegExp(
      `\\bthe (?:new|old|previous|original) (?:name|identifier|${answerNounSource})\\b`,
      'u',
    ).test(text) ||
    (text.match(/\p{L}+/gu) ?? []).some((word) => remarkWords.has(word) && !vocabulary.has(word))
  );
}

const remarkWords: ReadonlySet<string> = new Set(
  'rename renamed renames renaming identifier identifiers selection selected snippet formatter reformatted untouched unchanged unaltered adapt adapted tweak tweaked adjust adjusted adjustment assistant original originally instruction instructions request requested refactor refactored rewrite rewritten rewrote revised reworded rephrased occurrence occurrences preserved replaced swapped altered untested caution edit edited edits modification modifications modified updated changed rest happy glad further done explanation differs different previously earlier clarification clarify variable'.split(
    ' ',
  ),
);

/** Classifies a paragraph of a model's answer by its own text. Ignores the surrounding paragraphs. */
export function classifyRemark(paragraph: string): RemarkKind {
  const text = paragraph
    .slice(0, maxExaminedLength)
    .replaceAll(/[*_#>]+/gu, '')
    .trim();
  const sentences = text.split(/(?<=[.!?:])\s+/u).map((sentence) => sentence.trim());
  const matchesAny = (patterns: readonly RegExp[]): boolean =>
    sentences.some((sentence) => patterns.some((pattern) => pattern.test(sentence)));
  if (foreignRefusalPattern.test(text)) return 'refusal';
  if (answerHeadingPattern.test(paragraph)) return 'unclear';
  if (
    sentences
      .slice(0, 2)
      .some((sentence) => refusalPatterns.some((pattern) => pattern.test(sentence)))
  )
    return 'refusal';
  if (matchesAny(introductionPatterns)) return 'introduction';
  if (matchesAny(conclusionPatterns)) return 'conclusion';
  if (foreignRemarkPattern.test(text)) return /[:：]$/u.test(text) ? 'introduction' : 'unclear';
  return selfReferencePattern.test(text) || remarkHeadingPattern.test(text) ? 'unclear' : 'none';
}

const maxExaminedLength = 2_000;

/**
 * Checks whether a line that is not a sentence introduces or ends the requested text in a model's answer. Examples are
 * a label, a file path, symbols, a note in brackets, and a few words such as `Done!`.
 */
export function isAnnouncement(line: string): boolean {
  const text = line.trim().slice(0, maxExaminedLength);
  const plainText = text
    .replaceAll(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}/gu, '')
    .replace(/^#{1,6} /u, '');
  if (symbolPattern.test(text)) return !codePattern.test(plainText.replaceAll(arrowPattern, ''));
  if (/^[=-]+> \p{L}+$|^#\p{L}\w*(?: #\p{L}\w*)+$/u.test(text)) return true;
  if (pathOnlyPattern.test(text)) return true;
  const noteGroups = /^(?:\((?<round>[^()]*)\)|\[(?<square>[^[\]]*)\])\.?$/u.exec(
    plainText,
  )?.groups;
  const innerText = noteGroups?.['round'] ?? noteGroups?.['square'];
  if (innerText !== undefined)
    return /^\p{L}{2}|^\d+ \p{L}{2}/u.test(innerText) && !codePattern.test(innerText);
  if (isAnswerHeading(text)) return true;
  const words = plainText.replace(/^[¡¿]/u, '').split(/\s+/u);
  if (words.length > (/[:：]$/u.test(plainText) ? 4 : 2) || codePattern.test(plainText))
    return false;
  const isWord = words.every(
    (word) => /^[\p{L}\p{N}][\p{L}\p{N}'’-]*[,.!:?。！：…]*$/u.test(word) || /^[:!]$/u.test(word),
  );
  if (/^[A-Z]{2,}(?: [A-Z]{2,})?$/u.test(plainText)) return true;
  return (
    isWord &&
    /^[¡¿]?[\p{Lu}\p{Lo}]/u.test(plainText) &&
    /\S[:：!！。]$|\p{L}{2}\.$|\p{L} [:!]$/u.test(plainText)
  );
}

/**
 * Checks whether the text of a code comment only contains the name of a file, or only marks the start or end of the
 * answer.
 */
export const isFileMark = (text: string): boolean =>
  /^(?:begin|start|end|eof|done)(?: of)?(?: (?:the )?(?:edit|file|answer|code|change|changes|snippet|block))?\W*$/iu.test(
    text,
  ) ||
  /^(?:(?:file ?path|file|path):? )?(?:[\w.@-]+\/)+[\w.@-]+\.\w{1,8}(?: \([^()]*\))?$/iu.test(text);

const arrowPattern = /[→⇒➜➡👇⬇↓]\uFE0F?/gu;
const symbolPattern = /(?![\d#*©®™])\p{Extended_Pictographic}|^[→⇒➜↓]+$/u;
const codePattern = /[;{}=\\|@$<>()[\]]|::|->|["'`/]\S*["'`/]/u;
const pathOnlyPattern =
  /^(?:file(?:name)?|path|datei|fichier|archivo|ficheiro|文件|ファイル|файл)\s?[:：]\s*\S+$|^(?:[*_]{1,3}|`|[*_]{2}`)[\w./\\@-]+\.\w{1,8}(?:[*_]{1,3}|`|`[*_]{2}):?$|^(?:[\w.@-]+\/)+[\w.@-]+\.\w{1,8}(?: \([^()]*\))?:?$/iu;
const changeLabelPattern = new RegExp(
  `^(?:the |my |your )?(?:${changeVerbSource}|after|suggested|proposed)(?: \\w+)? ${answerNounSource}[:.]?$`,
  'iu',
);

/**
 * Checks whether a heading, label or comment announces that the next lines are the requested text, such as `# Updated
 * code`.
 */
export const isAnswerHeading = (text: string): boolean =>
  answerHeadingPattern.test(text) ||
  changeLabelPattern.test(text.replaceAll(/[*_#]+/gu, '').trim());

/** Checks whether a paragraph addresses the user, or mentions the model itself. */
export const isAddressedToUser = (paragraph: string): boolean =>
  pronounPattern.test(paragraph.slice(0, maxExaminedLength));

const pronounPattern = new RegExp(
  `(?<![\\p{L}\\p{N}_'’-])(?:${[
    "i|me|my|you|your|yours|i['’](?:m|ve|ll|d)|you['’](?:re|ve|ll|d)|let['’]s|we['’](?:ve|ll)|please|thanks?|sorry",
    'ich|mir|mich|mein|meine|du|dir|dich|dein|deine|ihnen|sie|bitte|danke',
    "je|j['’]\\p{L}+|moi|vous|votre|vos|tu|te|toi|merci",
    'yo|me|mi|te|tú|ti|usted|gracias|espero|eu|você|obrigado|io|ti|grazie',
    'я|мне|вы|вам|вас|ваш|ты|тебе|пожалуйста|надеюсь',
  ].join('|')})(?![\\p{L}\\p{N}_])|[您你我]|です|ます|ください|ました|습니다|세요`,
  'iu',
);
