# SPDX-License-Identifier: Apache-2.0
"""The spider tools/bench-crawlers gives to scrapy: follows every link, keeps nothing."""
import scrapy
from scrapy.linkextractors import LinkExtractor


class Everything(scrapy.Spider):
    name = "everything"
    links = LinkExtractor()
    custom_settings = {
        "ROBOTSTXT_OBEY": False, "LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False,
        "CONCURRENT_REQUESTS": 64, "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False, "DEPTH_STATS_VERBOSE": False,
    }

    def start_requests(self):
        yield scrapy.Request(self.seed)

    def parse(self, response, **kwargs):
        for link in self.links.extract_links(response):
            yield scrapy.Request(link.url)
