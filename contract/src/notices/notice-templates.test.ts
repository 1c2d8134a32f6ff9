import fc from "fast-check";
import { expect, test } from "vitest";
import { fillNotice, findNoticeTemplateIssue, usualNoticeTemplate } from "./notice-templates.ts";

const bark = `{"title": "{{title}}", "body": "{{text}}", "url": "{{link}}", "group": "{{rule}}", "level": "{{severity}}", "device_key": "k"}`;

test("whatever a notice says, a template stays the JSON that it is", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", "\n", "\u2028", "a") }),
      (title, text) => {
        const values = {
          title,
          text,
          link: text,
          severity: "critical",
          priority: "8",
          rule: title,
        };
        expect(JSON.parse(fillNotice(usualNoticeTemplate, values))).toEqual({
          title,
          message: text,
          priority: 8,
        });
        expect(JSON.parse(fillNotice(bark, values))).toEqual({
          ...{ title, body: text, url: text, group: title, level: "critical", device_key: "k" },
        });
      },
    ),
  );
});

test("a template that is no JSON, or names what does not exist, is refused with the reason", () => {
  for (const sound of [usualNoticeTemplate, bark, "{}", '["{{text}}"]'])
    expect(findNoticeTemplateIssue(sound)).toBeUndefined();
  expect(findNoticeTemplateIssue('{"a": "{{secret}}"}')).toContain("{{secret}}");
  for (const wrong of ["", "text", '{"a": {{title}}}', '{"a": "{{text}}"', '{"{{priority}}: 1}'])
    expect(findNoticeTemplateIssue(wrong), wrong).toContain("must be JSON");
});
