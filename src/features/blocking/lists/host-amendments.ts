/**
 * Hosts that the data lists under a category, but that also serve parts of pages: styles, pictures, videos, scripts,
 * sign-in. Blocking them would break pages.
 */
const ALSO_PARTS_OF_PAGES = {
  'makers of systems and portals, whole': `
    apple.com microsoft.com bing.com msn.com s-msft.com s-msn.com msecnd.net
    yahoo.com yahooapis.com yahoo.net yimg.com zenfs.com s.yimg.jp hostingprod.com
    aol.com aol.net aol.co.uk aolcdn.com blogsmithmedia.com oath.com
    www.linkedin.com licdn.com line.me line-scdn.net daum.net daumcdn.net
    ebay.com ebayimg.com rakuten-static.com wayfair.com quora.com
    force.com salesforce.com sas.com ibmcloud.com s81c.com okta.com bbb.org`,
  'newspapers, broadcasters and blogs, with what they keep under other names': `
    theguardian.com guardian.co.uk five.tv 01net.com bestofmedia.com agoramedia.com
    o2.pl wp.pl onet.pl bwbx.io ccm2.net mshcdn.com buzzfeed.com buzzfed.com
    news.com.au newsapi.com.au newscdn.com.au newsdata.com.au newsdiscover.com.au
    news-static.com icnetwork.co.uk tm-aws.com tm-awx.com snidigital.com answcdn.com
    tumblr.com livejournal.com livejournal.net pixnet.net pixfs.net sstatic.net
    rebelmouse.com rbl.ms answers.com hotukdeals.com`,
  'networks and players that carry what others publish': `
    llnwd.net limelight.com delvenetworks.com cdngc.net imageg.net
    jwpcdn.com jwplatform.com jwplayer.com jwpsrv.com longtailvideo.com
    ooyala.com vidible.tv buto.tv audioboom.com audioboo.fm`,
  'pictures of people, and of posts that a page shows itself': 'gravatar.com twimg.com pinimg.com',
  'forms that are the page’s own': 'surveymonkey.com qualtrics.com ctctcdn.com',
  'names that anybody may have a part of': 'net.net',
};
export const NOT_ONLY: ReadonlySet<string> = new Set(
  Object.values(ALSO_PARTS_OF_PAGES).flatMap((names) => names.trim().split(/\s+/)),
);

/** Hosts that the data lacks, each with its only purpose and its owner. */
export const ALSO: readonly (readonly [name: string, kind: HostKind, owner: string])[] = [
  ['bat.bing.com', 'ads', 'Bing Ads'],
  ['c.bing.com', 'ads', 'Bing Ads'],
  ['c.msn.com', 'ads', 'Bing Ads'],
  ['ads.yahoo.com', 'ads', 'Yahoo!'],
  ['analytics.yahoo.com', 'trackers', 'Yahoo!'],
  ['snap.licdn.com', 'trackers', 'LinkedIn Ads'],
  ['pixel.wp.pl', 'trackers', 'Reklama'],
];

/** Kinds of hosts that a request may block. */
export const HOST_KINDS = ['ads', 'trackers', 'chats', 'socials'] as const;
export type HostKind = (typeof HOST_KINDS)[number];
