/**
 * The template of a custom destination: JSON in which placeholders stand for what a notice says.
 * Pure, for gateway and console.
 */

/**
 * `priority` is a number from 3 (info) to 8 (critical), as Gotify has it; the others stand within
 * strings.
 */
export const noticePlaceholders = [
  "title",
  "text",
  "link",
  "severity",
  "priority",
  "rule",
] as const;
export type NoticePlaceholder = (typeof noticePlaceholders)[number];
export type NoticeValues = Readonly<Record<NoticePlaceholder, string>>;

export const noticeTemplateMax = 4_000;

/** `usualNoticeTemplate` is what Gotify takes, and many others. */
export const usualNoticeTemplate =
  '{"title": "{{title}}", "message": "{{text}}", "priority": {{priority}}}';

const placeholderPattern = /\{\{([^{}]*)\}\}/g;
const isPlaceholder = (name: string): name is NoticePlaceholder =>
  noticePlaceholders.some((one) => one === name);

/** Values are escaped as parts of JSON strings, so that no name in a notice can end one. */
export const fillNotice = (template: string, values: NoticeValues): string =>
  template.replace(placeholderPattern, (whole, name: string) =>
    isPlaceholder(name) ? JSON.stringify(values[name]).slice(1, -1) : whole,
  );

const hostile = '"},\\\n[1';

/** `findNoticeTemplateIssue` gives what is wrong with a template, or undefined. */
export function findNoticeTemplateIssue(template: string): string | undefined {
  const unknown = [...template.matchAll(placeholderPattern)].find(
    ([, name = ""]) => !isPlaceholder(name),
  );
  const known = noticePlaceholders.map((name) => `{{${name}}}`).join(", ");
  if (unknown) return `template has ${unknown[0].slice(0, 40)}; it knows ${known}`;
  const values = {
    title: hostile,
    text: hostile,
    link: hostile,
    severity: "info",
    priority: "3",
    rule: hostile,
  };
  try {
    JSON.parse(fillNotice(template, values));
    return undefined;
  } catch {
    return `template must be JSON, in which placeholders stand within strings, and {{priority}} anywhere`;
  }
}
