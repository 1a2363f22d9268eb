"""Hooks of mkdocs.yml: adds the Javadoc and the decisions, and lets links that leave docs/ lead to the repository."""

import pathlib
import posixpath
import re

from mkdocs.structure.files import File

JAVADOC = pathlib.Path('target/reports/apidocs')
LINK = re.compile(r'\]\((\.\./[^)#\s]*)')


def on_config(config):
    decisions = sorted(pathlib.Path(config.docs_dir, 'decisions').glob('*.md'), key=lambda page: (page.name != 'README.md', page.name))
    config.nav[-1]['Design and evidence'][-1]['Decisions'] = ['decisions/' + page.name for page in decisions]
    return config


def on_files(files, config):
    for path in JAVADOC.rglob('*'):
        if path.is_file():
            uri = 'api/' + path.relative_to(JAVADOC).as_posix()
            files.append(File.generated(config, uri, abs_src_path=str(path.resolve())))
    return files


def on_page_markdown(markdown, page, config, files):
    folder = posixpath.join('docs', posixpath.dirname(page.file.src_uri))

    def target(link):
        path = posixpath.normpath(posixpath.join(folder, link.group(1)))
        return link.group(0) if path.startswith('docs/') else '](' + config.repo_url + '/blob/main/' + path

    return LINK.sub(target, markdown)
