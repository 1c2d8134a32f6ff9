import "./rich-text.css";
import clsx from "clsx";
import { renderRichText } from "./render-rich-text.ts";

/** Text of the operator, markdown or HTML. Import it lazily: the libraries behind it weigh more than most pages. */
export function RichText({ source, className }: { source: string; className?: string }) {
  return <SafeHtml html={renderRichText(source)} className={className} />;
}

/** `html` comes from `renderRichText` or `sanitise`, nowhere else. */
export function SafeHtml({ html, className }: { html: string; className?: string | undefined }) {
  return (
    // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised, and this is the one place that shows markup
    <div className={clsx("rich-text", className)} dangerouslySetInnerHTML={{ __html: html }} />
  );
}
