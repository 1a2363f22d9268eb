package dev.purgatory.published;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.net.JarURLConnection;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.felix.framework.FrameworkFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.Version;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.namespace.PackageNamespace;
import org.osgi.framework.wiring.BundleCapability;
import org.osgi.framework.wiring.BundleRevision;

/** Tests in an OSGi framework that libraries are bundles. */
class BundleTest {
  private Framework framework;

  @BeforeEach
  void start(@TempDir Path storage) throws BundleException {
    framework =
        new FrameworkFactory()
            .newFramework(
                Map.of(Constants.FRAMEWORK_STORAGE, storage.resolve("bundles").toString()));
    framework.start();
  }

  @AfterEach
  void stop() throws Exception {
    framework.stop();
    framework.waitForStop(0);
  }

  @ParameterizedTest
  @MethodSource("dev.purgatory.published.PublishedJar#libraries")
  void bundle_hasTheNameAndThePackagesOfTheModule(PublishedJar jar) throws Exception {
    ModuleDescriptor module = jar.module();
    Bundle bundle = install(jar.file());
    assertThat(bundle.getSymbolicName()).isEqualTo(module.name());
    List<BundleCapability> exported =
        bundle
            .adapt(BundleRevision.class)
            .getDeclaredCapabilities(PackageNamespace.PACKAGE_NAMESPACE);
    assertThat(exported)
        .extracting(found -> found.getAttributes().get(PackageNamespace.PACKAGE_NAMESPACE))
        .containsExactlyInAnyOrderElementsOf(
            module.exports().stream().<Object>map(ModuleDescriptor.Exports::source).toList());
    assertThat(exported)
        .extracting(
            found -> found.getAttributes().get(PackageNamespace.CAPABILITY_VERSION_ATTRIBUTE))
        .containsOnly(withoutQualifier(bundle.getVersion()));
  }

  @Test
  void bundles_startTogether() throws Exception {
    Bundle timer = install(jar("purgatory-timer"));
    Bundle core = install(jar("purgatory"));
    Bundle executor = install(jar("purgatory-executor"));
    Bundle netty = install(jar("purgatory-netty"));
    install(jarOf("io.netty.util.Timer"));
    core.start();
    executor.start();
    netty.start();
    Class<?> purgatory = core.loadClass("dev.purgatory.Purgatory");
    assertThat(purgatory.getClassLoader()).isNotSameAs(getClass().getClassLoader());
    assertThat(executor.loadClass("dev.purgatory.timer.Timer"))
        .isSameAs(timer.loadClass("dev.purgatory.timer.Timer"));
    assertThat(netty.loadClass("dev.purgatory.netty.WheelTimer").getInterfaces()[0].getName())
        .isEqualTo("io.netty.util.Timer");
  }

  private static Version withoutQualifier(Version version) {
    return new Version(version.getMajor(), version.getMinor(), version.getMicro());
  }

  private Bundle install(Path file) throws BundleException {
    return framework.getBundleContext().installBundle(file.toUri().toString());
  }

  private static Path jar(String artifactId) throws IOException {
    return PublishedJar.named(artifactId).file();
  }

  private static Path jarOf(String className) throws Exception {
    var connection =
        (JarURLConnection)
            BundleTest.class
                .getResource("/" + className.replace('.', '/') + ".class")
                .openConnection();
    return Path.of(connection.getJarFileURL().toURI());
  }
}
