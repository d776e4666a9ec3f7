import { validationError } from '../../../core/ground/errors.ts';
import {
  each,
  type Fields,
  ignored,
  near,
  type Option,
  type Options,
  refused,
  same,
  sameText,
} from '../convert-options.ts';
import {
  blockedResources,
  boolean,
  list,
  networkWait,
  number,
  readBoolean,
  seconds,
  whenTrue,
} from '../option-values.ts';

const UNSUPPORTED_FORMATS = new Set(['gif', 'jp2', 'tiff', 'heif', 'mp4', 'mov', 'avi', 'webm']);

/** Holds `viewport_landscape` until the routes choose the device. It is no field of ours. */
export const LANDSCAPE = 'landscape';
/**
 * Holds the types of actions whose element may be missing, until the routes have all actions. It is no field of ours.
 */
export const OPTIONAL = 'optional_actions';

/** Options of `/take`. */
export const TAKE_OPTIONS: Options = {
  url: same('url'),
  html: sameText('html_content'),
  markdown: sameText('markdown_content'),
  format: near('format', '`jpg` by default; no gif, jp2, tiff, heif', ([value = ''], name) => readFormat(value, name)),
  image_quality: same('image_quality', number('image_quality')),
  omit_background: same('omit_background', boolean('omit_background')),
  image_width: near('resize_width', 'never enlarges', number('resize_width')),
  image_height: near('resize_height', 'never enlarges', number('resize_height')),
  full_page: same('full_page', boolean('full_page')),
  full_page_scroll: same('full_page_scroll', boolean('full_page_scroll')),
  full_page_max_height: same('full_page_max_height', number('full_page_max_height')),
  selector: same('selector'),
  clip_x: same('clip', member('clip', 'x')),
  clip_y: same('clip', member('clip', 'y')),
  clip_width: same('clip', member('clip', 'width')),
  clip_height: same('clip', member('clip', 'height')),
  viewport_width: same('window_width', number('window_width')),
  viewport_height: same('window_height', number('window_height')),
  device_scale_factor: same('pixel_density', number('pixel_density')),
  viewport_mobile: same('is_mobile', boolean('is_mobile')),
  viewport_has_touch: same('has_touch', boolean('has_touch')),
  viewport_device: near('device', 'the devices of `GET /devices`', ([value = '']) => ({
    device: value.replaceAll('_', ' '),
  })),
  viewport_landscape: near('device', 'only with a device', boolean(LANDSCAPE)),
  dark_mode: same('dark_mode', boolean('dark_mode')),
  reduced_motion: same('reduced_motion', boolean('reduced_motion')),
  media_type: same('media_type'),
  styles: sameText('custom_css'),
  scripts: sameText('custom_js'),
  hide_selectors: same('hide_selectors', list('hide_selectors')),
  click: same('actions', action('click')),
  hover: same('actions', action('hover')),
  scroll_into_view: same('actions', action('scroll')),
  error_on_click_selector_not_found: same('actions', optional('click')),
  error_on_hover_selector_not_found: same('actions', optional('hover')),
  user_agent: same('user_agent'),
  headers: near('custom_headers', 'sent to the origin of `url` only', (values, name) => ({
    custom_headers: Object.fromEntries(values.map((value) => readHeader(value, name))),
  })),
  authorization: near('custom_headers', 'sent to the origin of `url` only', ([value = '']) => ({
    custom_headers: { Authorization: value },
  })),
  cookies: same('cookies', (values, name) => ({ cookies: values.map((value) => readCookie(value, name)) })),
  time_zone: same('timezone'),
  geolocation_latitude: same('geolocation', member('geolocation', 'latitude')),
  geolocation_longitude: same('geolocation', member('geolocation', 'longitude')),
  geolocation_accuracy: same('geolocation', member('geolocation', 'accuracy')),
  block_ads: same('block_ads', boolean('block_ads')),
  block_trackers: same('block_trackers', boolean('block_trackers')),
  block_chats: same('block_chats', boolean('block_chats')),
  block_socials: same('block_socials', boolean('block_socials')),
  block_cookie_banners: near('block_cookie_banners', 'rejects, never accepts', boolean('block_cookie_banners')),
  block_banners_by_heuristics: near(
    'block_cookie_banners',
    'cookie banners only',
    whenTrue({ block_cookie_banners: true }),
  ),
  block_requests: near('block_requests', 'patterns match the whole address', (values) => ({
    block_requests: values.map((value) => (/^(?:\*|https?:)/.test(value) ? value : `*${value}*`)),
  })),
  block_resources: near('block_resources', 'no `document`', blockedResources),
  wait_until: near('wait_for_network', '`load` and `domcontentloaded` add no wait', networkWait),
  wait_for_selector: same('wait_for_selector'),
  delay: same('delay_capture', seconds('delay_capture')),
  timeout: near('wait_for_timeout', 'limits each wait', seconds('wait_for_timeout')),
  navigation_timeout: near('wait_for_timeout', 'limits each wait', seconds('wait_for_timeout')),
  ignore_host_errors: near('fail_on_http_error', 'the opposite', boolean('fail_on_http_error', { isNegated: true })),
  fail_if_content_contains: near('fail_if_text', 'one text, case matters', single('fail_if_text')),
  fail_if_content_missing: near('fail_unless_text', 'one text, case matters', single('fail_unless_text')),
  cache: near('cache_ttl', 'off by default', whenTrue({ cache_ttl: 14_400 })),
  cache_ttl: same('cache_ttl', number('cache_ttl')),
  store: same('store', boolean('store')),
  storage_path: near('store_path', 'the extension is added'),
  attachment_name: near('file_name', 'the extension is added'),
  pdf_print_background: same('pdf_print_background', boolean('pdf_print_background')),
  pdf_fit_one_page: same('pdf_single_page', boolean('pdf_single_page')),
  pdf_landscape: same('pdf_landscape', boolean('pdf_landscape')),
  pdf_paper_format: same('pdf_format'),
  pdf_margin: same('pdf_margin', ([value = '']) => ({
    pdf_margin: { top: value, right: value, bottom: value, left: value },
  })),
  pdf_margin_top: same('pdf_margin', ([value]) => ({ pdf_margin: { top: value } })),
  pdf_margin_right: same('pdf_margin', ([value]) => ({ pdf_margin: { right: value } })),
  pdf_margin_bottom: same('pdf_margin', ([value]) => ({ pdf_margin: { bottom: value } })),
  pdf_margin_left: same('pdf_margin', ([value]) => ({ pdf_margin: { left: value } })),
  response_type: near('response_type', '`empty` sends the file; no `json`', ([value = ''], name) => {
    if (value === 'json') throw validationError(`${name}: json is not supported; POST /capture has response_type`);
    return {};
  }),
  ...each(
    ignored(),
    'access_key signature error_on_selector_not_found selector_algorithm selector_scroll_into_view capture_beyond_viewport ' +
      'include_shadow_dom external_identifier full_page_algorithm full_page_scroll_delay full_page_scroll_by ' +
      'full_page_scroll_by_amount scripts_wait_until wait_for_selector_algorithm servers_region cache_key bypass_csp ' +
      'request_gpu_rendering storage_return_location webhook_sign webhook_errors metadata_content_format',
  ),
  ...each(
    refused(),
    'full_page_slices full_page_slice_height full_page_slice_overlap_height scroll_into_view_adjust_top proxy proxy_bypass_hosts ' +
      'ip_country_code fail_if_request_failed fail_if_gpu_rendering_fails storage_bucket storage_acl storage_class ' +
      'storage_endpoint storage_access_key_id storage_secret_access_key openai_api_key vision_prompt vision_max_tokens ' +
      'metadata_image_size metadata_fonts metadata_icon metadata_open_graph metadata_page_title metadata_content ' +
      'metadata_http_response_status_code metadata_http_response_headers',
  ),
  ...each(refused('POST /jobs has webhooks'), 'async webhook_url'),
};

function readFormat(value: string, name: string): Fields {
  if (UNSUPPORTED_FORMATS.has(value)) throw validationError(`${name}: ${value} is not supported`);
  return { format: value === 'jpg' ? 'jpeg' : value };
}

function member(field: string, part: string): Option['convert'] {
  return (values, name) => ({ [field]: { [part]: number('value')(values, name)['value'] } });
}

function action(type: string): Option['convert'] {
  return ([selector]) => ({ actions: [{ type, selector }] });
}

function optional(type: string): Option['convert'] {
  return (values, name) => (readBoolean(values, name) ? {} : { [OPTIONAL]: [type] });
}

function single(field: string): Option['convert'] {
  return (values, name) => {
    if (values.length > 1) throw validationError(`${name}: only one text is supported`);
    return { [field]: values[0] };
  };
}

function readHeader(value: string, name: string): [string, string] {
  const colon = value.indexOf(':');
  if (colon > 0) return [value.slice(0, colon).trim(), value.slice(colon + 1).trim()];
  throw validationError(`${name}: must have the form Name: value`);
}

/** A cookie as in the header Set-Cookie: `name=value; Domain=example.com; Secure`. */
function readCookie(value: string, name: string): Fields {
  const [pair = '', ...attributes] = value.split(';').map((part) => part.trim());
  const equals = pair.indexOf('=');
  if (equals < 1) throw validationError(`${name}: must have the form name=value; Domain=example.com`);
  const cookie: Record<string, unknown> = { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
  for (const attribute of attributes) {
    const [key = '', content = ''] = attribute.split('=', 2);
    switch (key.toLowerCase()) {
      case 'domain':
      case 'path':
        cookie[key.toLowerCase()] = content;
        break;
      case 'secure':
        cookie['secure'] = true;
        break;
      case 'httponly':
        cookie['http_only'] = true;
        break;
      case 'samesite':
        cookie['same_site'] = content.toLowerCase();
        break;
      default: // Expires and Max-Age: the cookie ends with the capture
    }
  }
  return cookie;
}
