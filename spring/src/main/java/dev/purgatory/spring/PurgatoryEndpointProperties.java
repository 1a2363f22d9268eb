package dev.purgatory.spring;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the endpoint of the Actuator.
 *
 * @param showValues When to show keys, tags and explanations.
 * @param roles The roles whose users are authorized to see them. With none, all users who have
 *     logged in.
 */
@ConfigurationProperties("management.endpoint.purgatory")
record PurgatoryEndpointProperties(
    @DefaultValue("never") Show showValues, @DefaultValue Set<String> roles) {}
