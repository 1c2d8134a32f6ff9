import { useEffect, useMemo } from "react";
import { renderRichText, sanitize } from "../../components/texts/render-rich-text.ts";
import { SafeHtml } from "../../components/texts/rich-text.tsx";

type HomeTextProps = {
  source: string;
  /** The stored rendering, shown until the gateway has answered. */
  rendered: string | undefined;
  onRendered: (html: string) => void;
};

export function HomeText({ source, rendered, onRendered }: HomeTextProps) {
  const html = useMemo(
    () => (rendered === undefined ? renderRichText(source) : sanitize(rendered)),
    [source, rendered],
  );
  useEffect(() => onRendered(html), [html, onRendered]);
  return <SafeHtml html={html} />;
}
