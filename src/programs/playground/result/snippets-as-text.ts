import type { Values } from '../form/values.ts';

/** A request as a code sample makes it. */
export interface Call {
  /** URL of `/capture`. */
  readonly endpoint: string;
  readonly values: Values;
  /** Name of the output file. */
  readonly filename: string;
  /** True if the service needs a token. The code reads it from the environment. */
  readonly needsToken: boolean;
}

/** Marks the place of the content of a file, which the code reads from the disk. */
const MARK = '@file:';

/** Code in languages that send the request as the text of its JSON. */
export const TEXT_SNIPPETS: Readonly<Record<'Go' | 'PHP' | 'Ruby', (call: Call) => string>> = {
  Go: ({ endpoint, values, filename, needsToken }) => {
    const { body, files } = split(values);
    const read = files.map(
      ({ name, mark }) => `	content, err := os.ReadFile(${JSON.stringify(name)})
	check(err)
	body = strings.Replace(body, ${goText(mark)}, "\\""+base64.StdEncoding.EncodeToString(content)+"\\"", 1)
`,
    );
    const packages = [...(files.length > 0 ? ['encoding/base64'] : []), 'io', 'log', 'net/http', 'os', 'strings'];
    const blocks = read.map((block, index) => (index === 0 ? block : block.replace(':=', '=')));
    return `package main

import (
${packages.map((each) => `	"${each}"`).join('\n')}
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	body := ${goText(body)}
${blocks.join('')}	request, err := http.NewRequest("POST", ${JSON.stringify(endpoint)}, strings.NewReader(body))
	check(err)
	request.Header.Set("Content-Type", "application/json")
${needsToken ? '	request.Header.Set("Authorization", "Bearer "+os.Getenv("CAPTURE_TOKEN"))\n' : ''}	answer, err := http.DefaultClient.Do(request)
	check(err)
	defer answer.Body.Close()
	result, err := io.ReadAll(answer.Body)
	check(err)
	if answer.StatusCode != 200 {
		log.Fatal(string(result))
	}
	check(os.WriteFile(${JSON.stringify(filename)}, result, 0o644))
}`;
  },

  PHP: ({ endpoint, values, filename, needsToken }) => {
    const { body, files } = split(values);
    const headers = ["'Content-Type: application/json'"];
    if (needsToken) headers.push("'Authorization: Bearer ' . getenv('CAPTURE_TOKEN')");
    const read = files.map(
      ({
        name,
        mark,
      }) => `$body = str_replace(${single(mark)}, json_encode(base64_encode(file_get_contents(${single(name)}))), $body);
`,
    );
    return `<?php
$body = <<<'JSON'
${body}
JSON;
${read.join('')}$answer = file_get_contents(${single(endpoint)}, false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [${headers.join(', ')}],
    'content' => $body,
    'ignore_errors' => true,
]]));
if (!str_contains($http_response_header[0], ' 200 ')) exit("$answer\n");
file_put_contents(${single(filename)}, $answer);`;
  },

  Ruby: ({ endpoint, values, filename, needsToken }) => {
    const { body, files } = split(values);
    const headers = ["'Content-Type' => 'application/json'"];
    if (needsToken) headers.push(`'Authorization' => "Bearer #{ENV.fetch('CAPTURE_TOKEN')}"`);
    const read = files.map(
      ({ name, mark }) => `body.sub!(${single(mark)}) { "\\"#{[File.binread(${single(name)})].pack('m0')}\\"" }
`,
    );
    return `require 'net/http'

body = +<<'JSON'
${body}
JSON
${read.join('')}answer = Net::HTTP.post(URI(${single(endpoint)}), body, ${headers.join(', ')})
abort answer.body unless answer.is_a?(Net::HTTPSuccess)
File.binwrite(${single(filename)}, answer.body)`;
  },
};

/** Returns the values as JSON, with a mark instead of the content of each file, and these marks as JSON texts. */
function split({ files, ...values }: Values): {
  readonly body: string;
  readonly files: readonly { readonly name: string; readonly mark: string }[];
} {
  const names = Object.keys(Object(files));
  const marks = Object.fromEntries(names.map((name) => [name, MARK + name]));
  return {
    body: JSON.stringify(names.length === 0 ? values : { ...values, files: marks }, null, 2),
    files: names.map((name) => ({ name, mark: JSON.stringify(MARK + name) })),
  };
}

/** Text between backquotes, which Go reads as it is. In JSON, a backquote has another spelling. */
function goText(json: string): string {
  return `\`${json.replaceAll('`', String.raw`\u0060`)}\``;
}

/** Text between single quotes for PHP and Ruby. */
function single(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
