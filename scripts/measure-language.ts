// How the names of functions, the beginnings of comments and the lengths of lines read, by a
// parser.
import { parseSync, Visitor } from "vite";
import { commonVerbs } from "./common-verbs.ts";

export interface LanguageMeasures {
  /** Names of top-level functions that are no component, hook or claim. */
  names: string[];
  /** Components, hooks and claims: they are named by other rules. */
  otherNames: string[];
  /** First words of the comments that document something. */
  openings: string[];
  longLines: number;
  lines: number;
}

const claims =
  /^(?:is|are|was|has|have|had|can|may|must|should|will|does|did|needs|allows|includes|starts|ends|knows|takes|accepts|acts|applies|asks|begins|belongs|changes|charges|chooses|concerns|contradicts|covers|demands|differs|fails|fits|holds|keeps|lacks|leaves|looks|loses|matches|names|offers|opens|passes|reaches|refuses|requires|runs|saves|says|sends|serves|shows|speaks|stores|thinks|uses|wakes|wants|works)(?=[A-Z]|$)/;
const otherKinds = /^(?:use[A-Z]|[A-Z])/;
const columnsMax = 100;
const prepositions =
  /(?:Of|On|In|At|After|Before|By|For|From|To|With|Without|Within|Under|Over|Between|Behind|Beside|Beyond|Against|About|Above|Below|Into|Through|Until|Since|Upon|As)$/;
const riddles =
  /^(?:What|Of|Whether|The same|Those|That|Which|Who|Whose|Where|When|How|Why|It|They|This|These|As|For|By|In|On|At|From|To|With|Without|Within|One|Some|All|Any|None|Also|And|Or|But)\b/;

export function measureLanguage(file: string, source: string): LanguageMeasures {
  const { program, comments } = parseSync(file, source);
  const found: string[] = [];
  const isFunction = (type: string | undefined): boolean =>
    /^(?:Arrow)?FunctionExpression$/.test(type ?? "");
  let depth = 0;
  new Visitor({
    FunctionDeclaration({ id }) {
      if (depth === 0 && id) found.push(id.name);
      depth += 1;
    },
    "FunctionDeclaration:exit"() {
      depth -= 1;
    },
    ArrowFunctionExpression() {
      depth += 1;
    },
    "ArrowFunctionExpression:exit"() {
      depth -= 1;
    },
    FunctionExpression() {
      depth += 1;
    },
    "FunctionExpression:exit"() {
      depth -= 1;
    },
    VariableDeclarator({ id, init }) {
      if (depth === 0 && id.type === "Identifier" && isFunction(init?.type)) found.push(id.name);
    },
  }).visit(program);
  const isOther = (name: string): boolean => otherKinds.test(name) || claims.test(name);
  const openings = comments.flatMap(({ type, value }) =>
    type === "Block" && value.startsWith("*")
      ? [
          value
            .replace(/^[\s*]+/, "")
            .replace(/\s+/g, " ")
            .slice(0, 40),
        ]
      : [],
  );
  const lines = source.split("\n");
  return {
    names: found.filter((name) => !isOther(name)),
    otherNames: found.filter(isOther),
    openings,
    longLines: lines.filter((line) => line.length > columnsMax).length,
    lines: lines.length,
  };
}

/** `beginsWithVerb`: `readBody` and `read`, not `bodyOf`. */
export const beginsWithVerb = (name: string): boolean =>
  commonVerbs.has(/^[a-z]+/.exec(name)?.[0] ?? "");

export const endsInPreposition = (name: string): boolean => prepositions.test(name);

/** `opensAsRiddle`: the reader must read on to learn what the comment is about. */
export const opensAsRiddle = (opening: string): boolean => riddles.test(opening);
