import "./rich-text.css";
import clsx from "clsx";
import { renderRichText } from "./render-rich-text.ts";

/**
 * A markdown or HTML text of the operator. Import it lazily: its libraries are larger than most
 * pages.
 */
export function RichText({ source, className }: { source: string; className?: string }) {
  return <SafeHtml html={renderRichText(source)} className={className} />;
}

/** `html` must come from `renderRichText` or `sanitize`. */
export function SafeHtml({ html, className }: { html: string; className?: string | undefined }) {
  return (
    // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised, and this is the one place that shows markup
    <div className={clsx("rich-text", className)} dangerouslySetInnerHTML={{ __html: html }} />
  );
}
