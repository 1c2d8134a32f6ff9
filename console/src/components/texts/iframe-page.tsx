/**
 * Another site's page, from the header to the bottom of the window, above the footer. It may run
 * scripts and keep its own session, but it cannot navigate this window and receives no referrer. A
 * page without a dark theme of its own gets the browser's light ground, in dark theme too.
 */
export function IframePage({ title, address: url }: { title: string; address: string }) {
  return (
    <div className="-my-6 h-[calc(100dvh-4rem)]">
      <iframe
        title={title}
        src={url}
        sandbox="allow-scripts allow-same-origin allow-forms allow-popups"
        referrerPolicy="no-referrer"
        className="absolute inset-x-0 h-[calc(100dvh-4rem)] w-full border-0"
      />
    </div>
  );
}
